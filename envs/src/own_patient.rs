//! A patient that was made of a segmentation, as torso and as what images show.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use insonate_anatomy::{Patient, StiffnessMap, Tissues};
use insonate_models::patients::BodyShape;
use insonate_models::torsos::{Shape, SoftnessField, TorsoKind};
use insonate_models::{ModelError, SceneConfig};
use insonate_ultrasound::UltrasoundError;
use insonate_ultrasound::phantom::LabelVolume;

use crate::EnvError;

/// Columns and rows of the softness over the skin: MuJoCo reads at most 500 numbers of an element.
const N_FIELD: [usize; 2] = [15, 27];

/// Name of a patient: that of its folder.
pub fn patient_name(folder: &str) -> String {
    let folder = named_folder(folder);
    let name = Path::new(&folder).file_name();
    name.map_or(folder.clone(), |name| name.to_string_lossy().into_owned())
}

/// The folder of a patient with its name in the path: `.` and `..`, which stand for another folder elsewhere, become absolute.
pub fn named_folder(folder: &str) -> String {
    let path = Path::new(folder);
    let absolute = match path.file_name() {
        Some(_) => None,
        None => path.canonicalize().ok(),
    };
    absolute.map_or(folder.to_owned(), |path| path.display().to_string())
}

/// A made patient.
#[derive(Clone, Debug)]
pub struct OwnPatient {
    patient: Patient,
    /// The trunk, or why the skin has none: then the patient is only imaged.
    trunk: Result<Trunk, String>,
    /// What images show, made on first use.
    labels: OnceLock<Arc<LabelVolume>>,
}

/// What a torso is made of.
#[derive(Clone, Debug)]
struct Trunk {
    body: Arc<BodyShape>,
    field: SoftnessField,
}

impl OwnPatient {
    /// Reads the folder of a patient.
    ///
    /// # Errors
    /// [`EnvError::Anatomy`] names the file.
    pub fn read(folder: impl AsRef<Path>) -> Result<Self, EnvError> {
        Self::new(Patient::read(folder)?)
    }

    /// The torso and the image of a patient.
    ///
    /// # Errors
    /// [`EnvError::Anatomy`]: the table of tissues is wrong.
    pub fn new(patient: Patient) -> Result<Self, EnvError> {
        let trunk = match BodyShape::of_skin(&patient.skin) {
            Ok(body) => Ok(Trunk::new(body, &patient)?),
            Err(ModelError::Conflict(problem)) => Err(problem),
            Err(other) => return Err(other.into()),
        };
        Ok(Self {
            patient,
            trunk,
            labels: OnceLock::new(),
        })
    }

    /// Origin of the torso's frame in the frame of the patient's files: left, head, front [m]. The axes are parallel. Without a trunk, the
    /// middle of the body's footprint on the table.
    pub fn torso_origin(&self) -> [f64; 3] {
        match &self.trunk {
            Ok(trunk) => trunk.body.origin,
            Err(_) => self.patient.description.table_m,
        }
    }

    /// Half of the torso's greatest width, half of its greatest thickness, half of its length [m].
    pub fn half_size(&self) -> [f64; 3] {
        if let Ok(trunk) = &self.trunk {
            return trunk.body.half_size();
        }
        let [low, high] = self.patient.description.bounds_m;
        [0, 2, 1].map(|axis| 0.5 * (high[axis] - low[axis]))
    }

    /// The patient in files.
    pub fn patient(&self) -> &Patient {
        &self.patient
    }

    /// The patient in a scene: the shape of the torso, and its softness over the skin if the kind of torso takes one, which a
    /// shell that breathes does not.
    ///
    /// # Errors
    /// [`ModelError::Unknown`] for the name of the torso; [`ModelError::Conflict`]: no torso can be made of the skin.
    pub fn lay(&self, config: &mut SceneConfig) -> Result<(), ModelError> {
        // A breathing shell has one softness.
        let breathes = config.breathing.is_some();
        let takes_field = |kind: &TorsoKind| kind.takes_field && !(breathes && kind.is_shell());
        config.shape = Shape::Adult;
        config.patient = None;
        let trunk = self.trunk.as_ref();
        let trunk = trunk.map_err(|problem| ModelError::Conflict(problem.clone()))?;
        config.body = Some(trunk.body.clone());
        let is_varied = config.torso_kind()?.is_some_and(takes_field);
        config.field = is_varied.then(|| trunk.field.clone());
        Ok(())
    }

    /// Materials of the labels, in the torso's frame at rest.
    ///
    /// # Errors
    /// [`UltrasoundError::Unknown`]: there is no material of a name.
    pub fn phantom(&self) -> Result<LabelVolume, UltrasoundError> {
        let classes = &self.patient.description.classes;
        let materials: Vec<&str> = classes.iter().map(|class| &*class.material).collect();
        let labels = self.patient.labels.moved(self.torso_origin().map(|x| -x));
        LabelVolume::of_classes(&labels, &materials)
    }

    /// As [`Self::phantom`], made once.
    ///
    /// # Errors
    /// Those of [`Self::phantom`].
    pub fn shared_phantom(&self) -> Result<Arc<LabelVolume>, UltrasoundError> {
        if let Some(labels) = self.labels.get() {
            return Ok(labels.clone());
        }
        let labels = Arc::new(self.phantom()?);
        Ok(self.labels.get_or_init(|| labels).clone())
    }

    /// A place of the labels, left and towards the head, in the torso's frame [m].
    pub fn in_torso(&self, [left, head]: [f64; 2]) -> [f64; 2] {
        let origin = self.torso_origin();
        [left - origin[0], head - origin[1]]
    }

    /// The place in front of the liver or, without one, the middle of the trunk: in the torso's frame [m].
    pub fn usual_site(&self) -> [f64; 2] {
        let liver = self.patient.description.class("liver");
        liver.map_or([0.0; 2], |class| {
            self.in_torso([class.centre_m[0], class.centre_m[1]])
        })
    }
}

impl Trunk {
    fn new(body: BodyShape, patient: &Patient) -> Result<Self, EnvError> {
        let map = StiffnessMap::of(patient, &Tissues::standard()?);
        let [half_width, _, half_length] = body.half_size();
        let axis = |half: f64, n: usize| -> Vec<f64> {
            let place = |k: usize| half * (2.0 * k as f64 / (n - 1) as f64 - 1.0);
            (0..n).map(place).collect()
        };
        let (x, y) = (axis(half_width, N_FIELD[0]), axis(half_length, N_FIELD[1]));
        let [left, head, _] = body.origin;
        let row = |y: &f64| x.iter().map(|x| map.at(x + left, y + head)).collect();
        let factor = y.iter().map(row).collect();
        let field = SoftnessField { x, y, factor };
        field.check()?;
        Ok(Self {
            body: Arc::new(body),
            field,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_without_a_name_become_absolute() {
        let here = std::env::current_dir().unwrap().canonicalize().unwrap();
        let above = here.parent().unwrap();
        for (folder, expected) in [(".", here.as_path()), ("..", above), ("src/..", &here)] {
            assert_eq!(Path::new(&named_folder(folder)), expected);
            let name = expected.file_name().unwrap().to_string_lossy();
            assert_eq!(patient_name(folder), name);
        }
        for folder in ["anna", "a/anna/", "a/anna/.", "../anna"] {
            assert_eq!(named_folder(folder), folder);
            assert_eq!(patient_name(folder), "anna");
        }
    }
}
