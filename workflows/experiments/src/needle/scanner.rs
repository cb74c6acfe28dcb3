//! B-mode pictures of an insertion: a probe on the skin, whose plane holds the planned way.

use insonate_ultrasound::b_mode::ScanConverter;
use insonate_ultrasound::deformation::{Point, Tetrahedra};
use insonate_ultrasound::phantom::{Block, Insert, Inserts, LesionKind, Solid};
use insonate_ultrasound::transducer::Transducer;
use insonate_ultrasound::{BMode, Settings, Shaft, UltrasoundError, View, material};
use nalgebra::{Isometry3, Vector3};

use super::plan::{LESION, NeedlePlan};
use super::probe_place::probe_pose;

/// Depth that is shown below the target [m].
const BELOW: f64 = 0.02;
/// Scanlines and samples of a frame.
const LINES: (usize, usize) = (192, 1024);

/// The body of an insertion at a moment.
pub(super) struct ScannedTissue<'a> {
    /// Positions of the vertices at rest [m].
    pub(super) rest: &'a [[f64; 3]],
    /// Positions of the vertices [m].
    pub(super) now: &'a [Vector3<f64>],
    /// Vertices of each tetrahedron.
    pub(super) tets: &'a [[u32; 4]],
}

/// A scanner for the pictures of one insertion.
pub(super) struct NeedleScanner<'a> {
    plan: &'a NeedlePlan,
    phantom: Inserts,
    scanner: BMode,
    converter: ScanConverter,
    pose: Isometry3<f64>,
}

impl<'a> NeedleScanner<'a> {
    /// A scanner for square pictures of `size` pixels.
    pub(super) fn new(
        plan: &'a NeedlePlan,
        transducer: &Transducer,
        size: usize,
    ) -> Result<Self, UltrasoundError> {
        let settings = Settings {
            n_lines: LINES.0,
            n_samples: LINES.1,
            depth: (BELOW - plan.target[2]).min(plan.size[2]),
            ..Settings::of(transducer)
        };
        let scanner = BMode::new(transducer, &settings)?;
        Ok(Self {
            converter: scanner.scan_converter(size)?,
            phantom: phantom(plan)?,
            pose: probe_pose(&plan.entry(), &plan.target(), transducer),
            scanner,
            plan,
        })
    }

    /// Size of a pixel [m].
    pub(super) fn pixel(&self) -> f64 {
        self.converter.pixel
    }

    /// Grey levels of the tissue with a needle, shape `[size, size]`. `index` selects the noise.
    /// `shape` are points of the needle from hub to tip [m].
    pub(super) fn picture(
        &mut self,
        tissue: &ScannedTissue<'_>,
        shape: &[Vector3<f64>],
        index: u64,
    ) -> Result<Vec<u8>, UltrasoundError> {
        let point = |at: &Vector3<f64>| Point::from(at.cast::<f32>());
        let rest: Vec<Point> = tissue
            .rest
            .iter()
            .map(|at| point(&Vector3::from(*at)))
            .collect();
        let now: Vec<Point> = tissue.now.iter().map(point).collect();
        let deformation = Tetrahedra::new(&rest, &now, tissue.tets)?;
        let axis = shape.iter().map(point).collect();
        let shaft = Shaft::polished(axis, self.plan.gauge.diameters());
        let view = View::new(&self.phantom, &deformation, &self.pose)?;
        let frame = self.scanner.frame(&view.with_shafts(vec![shaft])?, index);
        let mut picture = Vec::new();
        self.converter.picture(frame, &mut picture);
        Ok(picture)
    }
}

/// The layers from the bottom up under gel, and a lesion around the target.
fn phantom(plan: &NeedlePlan) -> Result<Inserts, UltrasoundError> {
    let names = plan.layers.iter().map(|layer| layer.preset.sound);
    let layers = names
        .map(material::by_name)
        .collect::<Result<Vec<_>, _>>()?;
    let ends = plan.block().ends();
    let depths = ends.iter().rev().map(|end| -*end as f32);
    let block = Block {
        materials: std::iter::once(material::GEL)
            .chain(layers.iter().rev().copied())
            .collect(),
        depths: std::iter::once(-plan.size[2] as f32)
            .chain(depths)
            .collect(),
        ..Block::uniform(material::GEL)
    };
    block.check()?;
    let around = ends.iter().filter(|end| -plan.target[2] > **end).count();
    let lesion = Insert {
        solid: Solid::Ball {
            center: Point::from(plan.target().cast::<f32>()),
            radius: LESION as f32,
        },
        material: LesionKind::Hypoechoic.material(&layers[around]),
    };
    Inserts::new(Box::new(block), &[lesion])
}
