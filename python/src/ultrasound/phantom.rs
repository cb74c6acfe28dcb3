//! What is imaged: a patient, a neck, a user's labels, or a test block.

use std::path::PathBuf;
use std::sync::Arc;

use insonate::experiments::{BlockMeasure, OwnPatient};
use insonate::ultrasound::deformation::{Point, Vector};
use insonate::ultrasound::material::{self, Material, SOFT_TISSUE};
use insonate::ultrasound::measure::BoneRod;
use insonate::ultrasound::phantom::labels::{LabelImage, MaterialTable, Neighbourhood};
use insonate::ultrasound::phantom::{
    Adult, Block, Insert, Inserts, LabelVolume, Lesion, Neck, Phantom as Imaged, PointMaterial,
    Scatterer, SegmentMaterial, Solid, place_lesions,
};
use insonate_meshes::TriangleMesh;
use insonate_models::ModelError;
use insonate_models::patients::{Physique, Sex};
use nalgebra::Isometry3;
use pyo3::prelude::*;

use super::transducer;
use crate::arrays;
use crate::error::{Result, value_error};
use crate::geometry::wxyz;
use crate::made_patient::own_patient;
use crate::scene::{Scene, SceneArguments};

/// Position [m] and quaternion wxyz.
type PoseTuple = ([f64; 3], [f64; 4]);

/// Default site on an adult, over liver and gallbladder [m].
const ADULT_SITE: [f64; 2] = [-0.09, -0.035];

/// A phantom that knows where a probe stands on it.
#[derive(Clone)]
pub(super) enum Body {
    Adult(Arc<Adult>),
    Neck(Arc<Neck>),
    Labels(Arc<LabelVolume>),
    /// The labels of a made patient, in the frame of the torso.
    Made(Arc<LabelVolume>),
    Block(Arc<Block>),
    /// Another body with solids in it.
    With(Box<Body>, Arc<Inserts>),
}

impl Body {
    pub(super) fn imaged(&self) -> &dyn Imaged {
        match self {
            Self::Adult(it) => &**it,
            Self::Neck(it) => &**it,
            Self::Labels(it) | Self::Made(it) => &**it,
            Self::Block(it) => &**it,
            Self::With(_, it) => &**it,
        }
    }

    /// A copy that owns its data.
    fn boxed(&self) -> Box<dyn Imaged> {
        match self {
            Self::Adult(it) => Box::new(Adult::clone(it)),
            Self::Neck(it) => Box::new(Neck::clone(it)),
            Self::Labels(it) | Self::Made(it) => Box::new(LabelVolume::clone(it)),
            Self::Block(it) => Box::new(Block::clone(it)),
            Self::With(_, it) => Box::new(Shared(it.clone())),
        }
    }

    /// The body without solids in it.
    pub(super) fn bare(&self) -> &Self {
        match self {
            Self::With(body, _) => body.bare(),
            body => body,
        }
    }

    /// Whether it is what a torso of the shape `adult` has inside.
    pub(super) fn is_patient(&self) -> bool {
        matches!(self.bare(), Self::Adult(_) | Self::Made(_))
    }

    /// Whether a probe presses into its skin.
    pub(super) fn has_skin(&self) -> bool {
        !matches!(self.bare(), Self::Block(_))
    }
}

/// Solids in a body that several phantoms share.
struct Shared(Arc<Inserts>);

impl Imaged for Shared {
    fn materials(&self) -> &[Material] {
        self.0.materials()
    }

    fn place(&self, rest: &Point) -> PointMaterial {
        self.0.place(rest)
    }

    fn stretch(&self, start: &Point, way: &Vector) -> SegmentMaterial {
        self.0.stretch(start, way)
    }

    fn normal(&self, rest: &Point) -> Vector {
        self.0.normal(rest)
    }

    fn skin_step(&self) -> f32 {
        self.0.skin_step()
    }

    fn bounds(&self) -> Option<[Point; 2]> {
        self.0.bounds()
    }

    fn scatterers(&self) -> &[Scatterer] {
        self.0.scatterers()
    }
}

/// What is imaged, in its rest shape. Its frame: x to the patient's left, y towards the head, z to the front.
#[pyclass(frozen, module = "insonate.ultrasound")]
pub(crate) struct Phantom {
    pub(super) body: Body,
    name: String,
    /// Whether its pictures are measured, without noise and compensation.
    pub(super) is_bare: bool,
    /// Site in the middle of a label volume, or in front of a made patient's liver [m].
    site: [f64; 2],
    /// Depth of the pictures of a block [m].
    shown: f32,
    /// What a block is measured for.
    pub(super) measure: Option<BlockMeasure>,
    /// Lesions in the body.
    pub(super) lesions: Vec<Insert>,
}

impl Phantom {
    fn new(name: &str, body: Body) -> Self {
        Self {
            body,
            name: name.to_owned(),
            is_bare: false,
            site: [0.0; 2],
            shown: 0.0,
            measure: None,
            lesions: Vec::new(),
        }
    }

    /// The patient of a scene: a made one, or an adult with the organs of a seed.
    pub(crate) fn of_arguments(arguments: &SceneArguments, seed: u64) -> Result<Self> {
        if let Some(own) = arguments.own_patient() {
            return Self::made(own);
        }
        let patient = arguments.patient()?.unwrap_or_default();
        let adult = Adult::new(&patient, seed)?;
        Ok(Self::new("adult", Body::Adult(Arc::new(adult))))
    }

    /// A made patient.
    fn made(own: &OwnPatient) -> Result<Self> {
        let mut phantom = Self::new("patient", Body::Made(own.shared_phantom()?));
        phantom.site = own.usual_site();
        Ok(phantom)
    }

    /// The phantom with solids in it.
    fn with(&self, inserts: &[Insert]) -> Result<Self> {
        let inside = Inserts::new(self.body.boxed(), inserts)?;
        Ok(Self {
            body: Body::With(Box::new(self.body.clone()), Arc::new(inside)),
            name: self.name.clone(),
            is_bare: self.is_bare,
            site: self.site,
            shown: self.shown,
            measure: self.measure.clone(),
            lesions: self.lesions.clone(),
        })
    }
}

#[pymethods]
impl Phantom {
    /// The trunk of an adult with synthetic organs.
    ///
    /// Args:
    ///     seed: seed of the organs.
    ///     sex: ``female`` or ``male``.
    ///     height: height [m].
    ///     mass: mass [kg].
    #[staticmethod]
    #[pyo3(signature = (seed=0, *, sex=None, height=None, mass=None))]
    fn adult(seed: u64, sex: Option<&str>, height: Option<f64>, mass: Option<f64>) -> Result<Self> {
        let sex = match sex {
            None => Sex::default(),
            Some(name) => *ModelError::find("sex", name, Sex::ALL)?,
        };
        let adult = Adult::new(&Physique::of(sex, height, mass), seed)?;
        Ok(Self::new("adult", Body::Adult(Arc::new(adult))))
    }

    /// The patient of a scene: a made patient, or one of the shape ``adult`` with synthetic organs of a seed.
    #[staticmethod]
    #[pyo3(signature = (scene, seed=0))]
    fn of_scene(py: Python<'_>, scene: &Scene, seed: u64) -> Result<Self> {
        py.detach(|| Self::of_arguments(&scene.arguments, seed))
    }

    /// A patient that ``insonate patient make`` wrote, in the frame of its torso.
    ///
    /// Args:
    ///     folder: the patient's folder.
    ///
    /// Raises:
    ///     ValueError: for a folder without a patient, or one that cannot be read.
    #[staticmethod]
    fn patient(py: Python<'_>, folder: PathBuf) -> Result<Self> {
        py.detach(|| Self::made(&own_patient(&folder)?))
    }

    /// The front of a neck: thyroid, trachea and vessels of a seed.
    #[staticmethod]
    #[pyo3(signature = (seed=0))]
    fn neck(seed: u64) -> Self {
        Self::new("neck", Body::Neck(Arc::new(Neck::new(seed))))
    }

    /// A label volume: NIfTI, NRRD or MetaImage.
    ///
    /// Args:
    ///     file: the volume. Of more than 512³ voxels, only those within ``depth`` [m] and 60 mm of the ``site`` [m] are kept.
    ///     materials: TOML table that says what each label is.
    ///     body: a mask of the body.
    ///
    /// Raises:
    ///     ValueError: for a file that cannot be read, or a label without a material.
    #[staticmethod]
    #[pyo3(signature = (file, materials, *, body=None, site=None, depth=0.15))]
    fn labels(
        py: Python<'_>,
        file: PathBuf,
        materials: PathBuf,
        body: Option<PathBuf>,
        site: Option<[f64; 2]>,
        depth: f64,
    ) -> Result<Self> {
        let (volume, site) = py.detach(|| {
            let table = MaterialTable::read(&materials)?;
            let near = |site| Neighbourhood { site, depth };
            let image = LabelImage::read_near(&file, &near(site))?;
            let site = site.or(image.site());
            let volume = match body {
                None => LabelVolume::new(&image, &table)?,
                Some(body) => {
                    let near = near(site.or(Some(image.middle())));
                    LabelVolume::within(&image, &table, &LabelImage::read_near(&body, &near)?)?
                }
            };
            let [low, high] = volume.bounds();
            let middle = nalgebra::center(&low, &high).cast::<f64>();
            let site = site.unwrap_or([middle.x, middle.y]);
            Ok::<_, insonate::ultrasound::UltrasoundError>((volume, site))
        })?;
        let name = file.display().to_string();
        let mut phantom = Self::new(&name, Body::Labels(Arc::new(volume)));
        phantom.site = site;
        Ok(phantom)
    }

    /// A test block: ``points``, ``speckle``, ``attenuation``, ``rod``, ``cysts`` or ``layers``.
    ///
    /// Args:
    ///     name: which block.
    ///     probe: transducer for which it is made.
    ///     depth: depth of the picture for which it is made [m] [default: that of the probe].
    ///     depths: depths of the points, or of levels in the rod's shadow [m].
    ///     alpha: attenuation of ``attenuation`` [default: 0.5] or ``points`` [default: 0] [dB/(cm MHz)].
    ///     radius: radius of the rod [m] [default: 0.002].
    ///     top: depth of the rod's top below the face [m] [default: 0.01].
    #[staticmethod]
    #[pyo3(signature = (name, *, probe="c5-2", depth=None, depths=None, alpha=None, radius=None, top=None))]
    fn block(
        name: &str,
        probe: &str,
        depth: Option<f64>,
        depths: Option<Vec<f64>>,
        alpha: Option<f64>,
        radius: Option<f64>,
        top: Option<f64>,
    ) -> Result<Self> {
        let usual = insonate::ultrasound::Settings::of(&transducer(probe)?);
        let shown = depth.unwrap_or(usual.depth) as f32;
        let uniform = |attenuation: f32| {
            Block::uniform(Material {
                attenuation,
                ..SOFT_TISSUE
            })
        };
        let mut measure = None;
        let block = match name {
            "points" => {
                let usual = [0.3, 0.6, 0.9].map(|share| share * usual.depth);
                let depths = depths.unwrap_or(usual.to_vec());
                let attenuation = alpha.unwrap_or(0.0);
                measure = Some(BlockMeasure::Points {
                    depths: depths.clone(),
                    attenuation,
                });
                let depths: Vec<f32> = depths.iter().map(|&depth| depth as f32).collect();
                Block::points(&depths, 1540.0, attenuation as f32)
            }
            "speckle" => {
                measure = Some(BlockMeasure::Speckle);
                uniform(0.0)
            }
            "attenuation" => {
                let alpha = alpha.unwrap_or(0.5);
                measure = Some(BlockMeasure::Attenuation(alpha));
                uniform(alpha as f32)
            }
            "rod" => {
                let rod = BoneRod {
                    radius: radius.unwrap_or(0.002),
                    top: top.unwrap_or(0.01),
                };
                let behind = rod.depths_behind(depth.unwrap_or(usual.depth));
                let depths = depths.unwrap_or(behind.to_vec());
                measure = Some(BlockMeasure::Rod { rod, depths });
                rod.block()?
            }
            "cysts" => Block::cysts(shown),
            "layers" => Block::intercostal(shown),
            other => {
                return Err(value_error(format!(
                    "name is {other:?}; it must be one of points, speckle, attenuation, rod, cysts, layers"
                )));
            }
        };
        block.check()?;
        let mut phantom = Self::new(name, Body::Block(Arc::new(block)));
        (phantom.shown, phantom.measure) = (shown, measure);
        phantom.is_bare = ["points", "speckle", "attenuation", "rod"].contains(&name);
        Ok(phantom)
    }

    /// The phantom with lesions at places of a seed: in the liver, the neck's thyroid, or the tissue of a block.
    ///
    /// Args:
    ///     lesions: ``cyst``, ``hypo`` or ``hyper`` (6 dB less or more), with a radius [m] unless it is of 8 mm: ``hypo:0.01``.
    ///     seed: seed of the places.
    ///
    /// Raises:
    ///     ValueError: for an unknown kind, a radius out of range, or lesions that do not fit.
    #[pyo3(signature = (lesions, seed=0))]
    fn with_lesions(&self, py: Python<'_>, lesions: Vec<String>, seed: u64) -> Result<Self> {
        let wanted = lesions.iter().map(|text| text.parse::<Lesion>());
        let wanted = wanted.collect::<std::result::Result<Vec<Lesion>, _>>()?;
        let reach = 0.25 * self.shown;
        let (organ, region) = match self.body.bare() {
            Body::Adult(adult) => ("liver", adult.bounds()),
            Body::Labels(volume) | Body::Made(volume) => ("liver", volume.bounds()),
            Body::Neck(_) => ("thyroid", Neck::thyroid_bounds()),
            // What the plane shows.
            Body::Block(_) | Body::With(..) => (
                "soft tissue",
                [
                    Point::new(-reach, 0.0, 0.5 * reach),
                    Point::new(reach, 0.0, 3.5 * reach),
                ],
            ),
        };
        py.detach(|| {
            let placed = place_lesions(&wanted, self.body.imaged(), organ, region, seed)?;
            let mut phantom = self.with(&placed)?;
            phantom.lesions.extend(placed);
            Ok(phantom)
        })
    }

    /// The phantom with an organ of a closed mesh in its frame.
    ///
    /// Args:
    ///     vertices: corners [m], shape ``[n, 3]``.
    ///     triangles: indices of the corners of each triangle, outward by the right-hand rule, shape ``[m, 3]``.
    ///     material: its material, such as ``spleen``.
    ///
    /// Raises:
    ///     ValueError: for a surface that is not closed, or an unknown material.
    fn with_mesh(
        &self,
        vertices: &Bound<'_, PyAny>,
        triangles: &Bound<'_, PyAny>,
        material: &str,
    ) -> Result<Self> {
        let mesh = TriangleMesh {
            positions: arrays::rows("vertices", vertices)?,
            triangles: arrays::indices("triangles", triangles)?,
        };
        self.with(&[Insert {
            solid: Solid::mesh(&mesh)?,
            material: material::by_name(material)?,
        }])
    }

    /// Position [m] and quaternion wxyz of a probe's face on the skin.
    ///
    /// Args:
    ///     site: left of the middle, towards the head [m] [default: over liver and gallbladder; in front of the liver of a made patient; the middle
    ///         of other phantoms].
    ///     rotation: turn of the probe about its axis [rad] [default: a right angle, along the body; 0 on the neck].
    ///     indentation: depth of the face in the skin [m] [default: 0.013; 0.004 on the neck].
    ///
    /// Raises:
    ///     ValueError: for a site next to the body, or an indentation out of range.
    #[pyo3(signature = (site=None, *, rotation=None, indentation=None))]
    fn probe_pose(
        &self,
        site: Option<[f64; 2]>,
        rotation: Option<f64>,
        indentation: Option<f64>,
    ) -> Result<PoseTuple> {
        let along = 90f64.to_radians();
        let pose: Isometry3<f64> = match self.body.bare() {
            Body::Adult(adult) => adult.probe_pose(
                site.unwrap_or(ADULT_SITE),
                rotation.unwrap_or(along),
                indentation.unwrap_or(0.013),
            )?,
            Body::Neck(neck) => neck.probe_pose(
                site.unwrap_or_default(),
                rotation.unwrap_or(0.0),
                indentation.unwrap_or(Neck::INDENTATION),
            )?,
            Body::Labels(volume) | Body::Made(volume) => volume.probe_pose(
                site.unwrap_or(self.site),
                rotation.unwrap_or(along),
                indentation.unwrap_or(0.013),
            )?,
            Body::Block(_) | Body::With(..) => Isometry3::identity(),
        };
        Ok((pose.translation.vector.into(), wxyz(&pose.rotation)))
    }

    /// The default site of `probe_pose`, left of the middle and towards the head [m].
    #[getter]
    fn site(&self) -> [f64; 2] {
        match self.body.bare() {
            Body::Adult(_) => ADULT_SITE,
            Body::Labels(_) | Body::Made(_) => self.site,
            Body::Neck(_) | Body::Block(_) | Body::With(..) => [0.0; 2],
        }
    }

    /// Names of the materials by their labels.
    #[getter]
    fn materials(&self) -> Vec<&'static str> {
        let materials = self.body.imaged().materials().iter();
        materials.map(|material| material.name).collect()
    }

    fn __repr__(&self) -> String {
        match self.lesions.len() {
            0 => format!("Phantom({})", self.name),
            n => format!("Phantom({}, lesions={n})", self.name),
        }
    }
}
