//! Closed, smooth surfaces of classes that keep their volumes.
//!
//! A blur by a Gaussian makes the staircase of voxels smooth, but shrinks a ball of radius R by σ²/R. So the surface is not that of half
//! the shape's share, but of the share at which it encloses the volume of the voxels.

use insonate_meshes::{MeshFault, SurfaceTree, TriangleMesh};
use insonate_settings::check_ranges;
use insonate_volumes::Segmentation;
use nalgebra::Vector3;

use crate::AnatomyError;
use crate::blurred::Shares;

/// Allowed relative error of a volume.
const TOLERANCE: f64 = 0.003;
/// Tries of a share, and range of shares.
const MOST_TRIES: usize = 12;
const SHARES: [f64; 2] = [0.02, 0.98];
/// A surface that is not closed, or crosses itself, is made again with a stronger blur.
const MOST_BLURS: usize = 6;
const STRONGER: f64 = 1.25;

/// How surfaces are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceSettings {
    /// Edge of the triangles, about [m].
    pub cell: f64,
    /// Standard deviation of the blur [m].
    pub blur: f64,
}

impl Default for SurfaceSettings {
    fn default() -> Self {
        Self {
            cell: 0.003,
            blur: 0.002,
        }
    }
}

impl SurfaceSettings {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`AnatomyError::Setting`] names the setting.
    pub fn check(&self) -> Result<(), AnatomyError> {
        let rows = [
            ("cell", self.cell, [2e-4, 0.05], "m"),
            ("blur", self.blur, [1e-4, 0.05], "m"),
        ];
        Ok(check_ranges("", rows)?)
    }

    /// Edge of the blocks of voxels that are taken together: they must resolve the blur and the triangles [m].
    pub(crate) fn edge(&self) -> f64 {
        self.cell.min(self.blur)
    }

    /// Free space around a shape that the strongest blur needs [m].
    pub(crate) fn margin(&self) -> f64 {
        3.0 * self.blur * STRONGER.powi(MOST_BLURS as i32 - 1) + self.cell
    }
}

/// The surface of a class; `None` if the class has no voxels. It is flat where the edge of the volume cuts the class off.
///
/// # Errors
/// [`AnatomyError::Setting`]: a setting is outside of its range. [`AnatomyError::Surface`]: the surface is not closed even after stronger
/// blurs.
pub fn class_surface(
    segmentation: &Segmentation,
    name: &str,
    settings: &SurfaceSettings,
) -> Result<Option<TriangleMesh>, AnatomyError> {
    settings.check()?;
    let mut is_in = [false; 256];
    let Some(value) = segmentation.value(name) else {
        return Ok(None);
    };
    is_in[usize::from(value)] = true;
    match Shares::new(segmentation, &is_in, settings.edge(), settings.margin()) {
        None => Ok(None),
        Some(shares) => closed_surface(&shares, name, settings).map(Some),
    }
}

/// The surface of a shape, made again with a stronger blur if it is not closed or crosses itself.
pub(crate) fn closed_surface(
    shares: &Shares,
    name: &str,
    settings: &SurfaceSettings,
) -> Result<TriangleMesh, AnatomyError> {
    let mut blur = settings.blur;
    let mut fault = MeshFault::Empty;
    for _ in 0..MOST_BLURS {
        let mut blurred = shares.clone();
        blurred.blur(blur);
        let mesh = with_volume(&blurred, shares.volume(), settings.cell, blur);
        let checked = mesh.check_closed();
        match checked.and_then(|()| SurfaceTree::new(&mesh)?.check_crossing()) {
            Ok(()) => return Ok(mesh),
            Err(own) => fault = own,
        }
        blur *= STRONGER;
    }
    Err(AnatomyError::Surface {
        class: name.to_owned(),
        fault,
    })
}

/// The surface of the share at which it encloses a volume [m³], by bisection.
fn with_volume(shares: &Shares, volume: f64, cell: f64, blur: f64) -> TriangleMesh {
    let [mut low, mut high] = SHARES;
    let mut share = 0.5;
    let mut best: Option<(f64, TriangleMesh)> = None;
    for _ in 0..MOST_TRIES {
        let mesh = surface(shares, share, cell, blur);
        let error = mesh.volume() / volume - 1.0;
        if error > 0.0 {
            low = share;
        } else {
            high = share;
        }
        share = 0.5 * (low + high);
        if best.as_ref().is_none_or(|(least, _)| error.abs() < *least) {
            best = Some((error.abs(), mesh));
        }
        if error.abs() < TOLERANCE {
            break;
        }
    }
    best.map(|(_, mesh)| mesh).unwrap_or_default()
}

/// The surface of a share.
fn surface(shares: &Shares, share: f64, cell: f64, blur: f64) -> TriangleMesh {
    // Frames were checked to be invertible.
    let inverse = shares.frame.steps.try_inverse().unwrap_or_default();
    // The slope of a blurred half-space is at most 1 / (σ √(2π)), so this is a distance or less.
    let scale = 0.8 * blur * (2.0 * std::f64::consts::PI).sqrt();
    let field = |place: &Vector3<f64>| scale * (share - shares.interpolate(&inverse, place));
    let bounds = shares.frame.bounds(shares.count);
    TriangleMesh::isosurface(bounds.map(Into::into), cell, field)
}
