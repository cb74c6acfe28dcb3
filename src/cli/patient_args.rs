//! The options that say who lies on the table.

use clap::ValueEnum;
use insonate::models::patients::{Physique, Sex};
use insonate::models::torsos::Shape;

use super::Usage;

/// Kinds of patients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Patient {
    /// An adult of real size.
    Adult,
}

/// Who lies there, as far as options say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PatientChoice {
    pub(crate) patient: Option<Patient>,
    pub(crate) seed: Option<u64>,
    pub(crate) sex: Option<Sex>,
    pub(crate) height: Option<f64>,
    pub(crate) mass: Option<f64>,
}

impl PatientChoice {
    /// The patient's physique; `None`: a bare torso.
    pub(crate) fn physique(self, shape: Shape) -> anyhow::Result<Option<Physique>> {
        if self.patient.is_none() && shape != Shape::Adult {
            let given = [
                ("--patient-seed", self.seed.is_some()),
                ("--patient-sex", self.sex.is_some()),
                ("--patient-height", self.height.is_some()),
                ("--patient-mass", self.mass.is_some()),
            ];
            return match given.iter().find(|(_, is_given)| *is_given) {
                Some((option, _)) => {
                    let problem = format!("{option} needs --patient adult");
                    Err(Usage::new(insonate::models::ModelError::Conflict(problem)).into())
                }
                None => Ok(None),
            };
        }
        let mut physique = self.seed.map_or_else(
            || Physique::reference(self.sex.unwrap_or_default()),
            Physique::drawn,
        );
        physique.sex = self.sex.unwrap_or(physique.sex);
        let physique = physique.with(self.height, self.mass);
        physique.check().map_err(Usage::new)?;
        Ok(Some(physique))
    }
}

/// The sex of this name.
pub(crate) fn sex(name: &str) -> Result<Sex, String> {
    let found = Sex::ALL.iter().find(|(known, _)| *known == name);
    found
        .map(|(_, sex)| *sex)
        .ok_or_else(|| "choose one of female, male".to_owned())
}
