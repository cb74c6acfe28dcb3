//! What is imaged: a patient, a neck, a user's labels, or a test block.

use std::path::PathBuf;
use std::sync::Arc;

use insonate::ultrasound::Material;
use insonate::ultrasound::material::SOFT_TISSUE;
use insonate::ultrasound::phantom::labels::{LabelImage, MaterialTable, Neighbourhood};
use insonate::ultrasound::phantom::{Adult, Block, LabelVolume, Neck, Phantom as Imaged};
use insonate_models::ModelError;
use insonate_models::patients::{Physique, Sex};
use nalgebra::Isometry3;
use pyo3::prelude::*;

use super::transducer;
use crate::error::{Result, value_error};
use crate::geometry::wxyz;

/// Position [m] and quaternion wxyz.
type PoseTuple = ([f64; 3], [f64; 4]);

/// A phantom that knows where a probe stands on it.
#[derive(Clone)]
pub(super) enum Body {
    Adult(Arc<Adult>),
    Neck(Arc<Neck>),
    Labels(Arc<LabelVolume>),
    Block(Arc<Block>),
}

impl Body {
    pub(super) fn imaged(&self) -> &dyn Imaged {
        match self {
            Self::Adult(it) => &**it,
            Self::Neck(it) => &**it,
            Self::Labels(it) => &**it,
            Self::Block(it) => &**it,
        }
    }

    /// Whether a probe presses into its skin.
    pub(super) fn has_skin(&self) -> bool {
        !matches!(self, Self::Block(_))
    }
}

/// What is imaged, in its rest shape.
#[pyclass(frozen, module = "insonate.ultrasound")]
pub(crate) struct Phantom {
    pub(super) body: Body,
    name: String,
    /// Whether its pictures are measured, without noise and compensation.
    pub(super) is_bare: bool,
    /// Site in the middle of a label volume [m].
    site: [f64; 2],
}

impl Phantom {
    fn new(name: &str, body: Body) -> Self {
        Self {
            body,
            name: name.to_owned(),
            is_bare: false,
            site: [0.0; 2],
        }
    }
}

#[pymethods]
impl Phantom {
    /// The trunk of an adult with synthetic organs of a seed.
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

    /// The front of a neck with organs of a seed.
    #[staticmethod]
    #[pyo3(signature = (seed=0))]
    fn neck(seed: u64) -> Self {
        Self::new("neck", Body::Neck(Arc::new(Neck::new(seed))))
    }

    /// A label volume with a table of materials.
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

    /// A test block for pictures of a depth.
    #[staticmethod]
    #[pyo3(signature = (name, *, probe="c5-2", depth=None, depths=None, alpha=0.5))]
    fn block(
        name: &str,
        probe: &str,
        depth: Option<f64>,
        depths: Option<Vec<f64>>,
        alpha: f64,
    ) -> Result<Self> {
        let usual = insonate::ultrasound::Settings::of(&transducer(probe)?);
        let shown = depth.unwrap_or(usual.depth) as f32;
        let uniform = |attenuation: f32| {
            Block::uniform(Material {
                attenuation,
                ..SOFT_TISSUE
            })
        };
        let block = match name {
            "points" => {
                let usual = [0.3, 0.6, 0.9].map(|share| share * usual.depth);
                let depths = depths.unwrap_or(usual.to_vec());
                let depths: Vec<f32> = depths.iter().map(|&depth| depth as f32).collect();
                Block::points(&depths, 1540.0)
            }
            "speckle" => uniform(0.0),
            "attenuation" => uniform(alpha as f32),
            "cysts" => Block::cysts(shown),
            "layers" => Block::intercostal(shown),
            other => {
                return Err(value_error(format!(
                    "name is {other:?}; it must be one of points, speckle, attenuation, cysts, layers"
                )));
            }
        };
        block.check()?;
        let mut phantom = Self::new(name, Body::Block(Arc::new(block)));
        phantom.is_bare = ["points", "speckle", "attenuation"].contains(&name);
        Ok(phantom)
    }

    /// Pose of a probe on the skin at a site, in the phantom's frame.
    #[pyo3(signature = (site=None, *, rotation=None, indentation=None))]
    fn probe_pose(
        &self,
        site: Option<[f64; 2]>,
        rotation: Option<f64>,
        indentation: Option<f64>,
    ) -> Result<PoseTuple> {
        let along = 90f64.to_radians();
        let pose: Isometry3<f64> = match &self.body {
            Body::Adult(adult) => adult.probe_pose(
                site.unwrap_or([-0.09, -0.035]),
                rotation.unwrap_or(along),
                indentation.unwrap_or(0.013),
            )?,
            Body::Neck(neck) => neck.probe_pose(
                site.unwrap_or_default(),
                rotation.unwrap_or(0.0),
                indentation.unwrap_or(Neck::INDENTATION),
            )?,
            Body::Labels(volume) => volume.probe_pose(
                site.unwrap_or(self.site),
                rotation.unwrap_or(along),
                indentation.unwrap_or(0.013),
            )?,
            Body::Block(_) => Isometry3::identity(),
        };
        Ok((pose.translation.vector.into(), wxyz(&pose.rotation)))
    }

    /// Names of the materials by their labels.
    #[getter]
    fn materials(&self) -> Vec<&'static str> {
        let materials = self.body.imaged().materials().iter();
        materials.map(|material| material.name).collect()
    }

    fn __repr__(&self) -> String {
        format!("Phantom({})", self.name)
    }
}
