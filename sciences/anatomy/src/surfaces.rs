//! Closed, smooth surfaces of classes that keep their volumes.
//!
//! A blur by a Gaussian makes the staircase of voxels smooth, but shrinks a ball of radius R by σ²/R. So the surface is not that of half
//! the shape's share, but of the share at which it encloses the volume of the voxels.

use insonate_meshes::{MeshFault, SurfaceTree, TriangleMesh};
use insonate_settings::check_ranges;
use insonate_volumes::Segmentation;

use crate::AnatomyError;
use crate::blurred::Shares;
use crate::samples::Samples;

/// Allowed relative error of a volume.
const TOLERANCE: f64 = 0.003;
/// Tries of a share, and range of shares.
const MOST_TRIES: usize = 12;
const SHARES: [f64; 2] = [0.02, 0.98];
/// Relative error of a volume up to which a surface is taken at once.
const ACCEPTED: f64 = 0.01;
/// Factors of cell and blur, one attempt after the other.
const ATTEMPTS: [[f64; 2]; 6] = [
    [1.0, 1.0],
    [0.7, 1.0],
    [0.5, 1.0],
    [0.35, 0.75],
    [0.7, 1.4],
    [0.5, 2.0],
];
const STRONGEST: f64 = 2.0;

/// How surfaces are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceSettings {
    /// Edge of the triangles, about [m]; at least half the longest edge of a voxel is used.
    pub cell: f64,
    /// Standard deviation of the blur [m]; at least 0.35 of the longest edge of a voxel is used.
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

    /// The settings with a blur and cells that are large enough for the voxels. Less keeps the staircase of coarse voxels, and half a voxel's
    /// edge as blur makes thin parts vanish.
    pub(crate) fn for_voxels(&self, segmentation: &Segmentation) -> Self {
        let steps = segmentation.frame().steps;
        let longest = steps
            .column_iter()
            .map(|step| step.norm())
            .fold(0.0, f64::max);
        Self {
            cell: self.cell.max(0.5 * longest),
            blur: self.blur.max(0.35 * longest),
        }
    }

    /// Edge of the blocks of voxels that are taken together: they must resolve the blur and the triangles [m].
    pub(crate) fn edge(&self) -> f64 {
        self.cell.min(self.blur)
    }

    /// Free space around a shape that the strongest blur needs [m].
    pub(crate) fn margin(&self) -> f64 {
        3.0 * STRONGEST * self.blur + self.cell
    }
}

/// The surface of a class; `None` if the class has no voxels. It is flat where the edge of the volume cuts the class off.
///
/// # Errors
/// [`AnatomyError::Setting`]: a setting is outside of its range. [`AnatomyError::Surface`]: the surface is not closed in any
/// attempt.
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
    let settings = settings.for_voxels(segmentation);
    match Shares::new(segmentation, &is_in, settings.edge(), settings.margin()) {
        None => Ok(None),
        Some(shares) => closed_surface(&shares, name, &settings).map(Some),
    }
}

/// The surface of a shape. It is made again with finer cells and other blurs if it is not closed, crosses itself, or has another volume
/// than the voxels; of closed ones the best is kept.
pub(crate) fn closed_surface(
    shares: &Shares,
    name: &str,
    settings: &SurfaceSettings,
) -> Result<TriangleMesh, AnatomyError> {
    let volume = shares.volume();
    let mut fault = MeshFault::Empty;
    let mut best: Option<(f64, TriangleMesh)> = None;
    for [finer, stronger] in ATTEMPTS {
        let (cell, blur) = (settings.cell * finer, settings.blur * stronger);
        let mut blurred = shares.clone();
        blurred.blur(blur);
        let mesh = with_volume(&blurred, volume, cell, blur);
        let checked = mesh.check_closed();
        match checked.and_then(|()| SurfaceTree::new(&mesh)?.check_crossing()) {
            Ok(()) => {
                let error = (mesh.volume() / volume - 1.0).abs();
                if best.as_ref().is_none_or(|(least, _)| error < *least) {
                    best = Some((error, mesh));
                }
                if error < ACCEPTED {
                    break;
                }
            }
            Err(own) => fault = own,
        }
    }
    best.map(|(_, mesh)| mesh).ok_or(AnatomyError::Surface {
        class: name.to_owned(),
        fault,
    })
}

/// The surface of the share at which it encloses a volume [m³].
///
/// Newton's steps: where the share changes by a little, the surface of area A moves by σ √(2π) times that. A step that leaves the bracket
/// halves it instead.
fn with_volume(shares: &Shares, volume: f64, cell: f64, blur: f64) -> TriangleMesh {
    let samples = Samples::new(shares, cell);
    // The slope of a blurred half-space is at most 1 / (σ √(2π)).
    let thickness = blur * (2.0 * std::f64::consts::PI).sqrt();
    let [mut low, mut high] = SHARES;
    let mut share = 0.5;
    let mut best: Option<(f64, TriangleMesh)> = None;
    for _ in 0..MOST_TRIES {
        let mesh = samples.surface(share, 0.8 * thickness);
        let excess = mesh.volume() - volume;
        if excess > 0.0 {
            low = share;
        } else {
            high = share;
        }
        let next = share + excess / (mesh.area() * thickness);
        let is_within = next > low && next < high;
        share = if is_within { next } else { 0.5 * (low + high) };
        let error = (excess / volume).abs();
        if best.as_ref().is_none_or(|(least, _)| error < *least) {
            best = Some((error, mesh));
        }
        if error < TOLERANCE {
            break;
        }
    }
    best.map(|(_, mesh)| mesh).unwrap_or_default()
}
