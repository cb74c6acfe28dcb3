//! The options that say who lies on the table.

use clap::{Args, ValueEnum};
use insonate::models::patients::{Physique, Sex};
use insonate::models::torsos::Shape;

use super::Usage;

/// Kinds of patients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Patient {
    /// An adult of real size.
    Adult,
}

#[derive(Debug, Args)]
pub(crate) struct PatientArgs {
    /// A patient instead of a bare torso: the torso is the trunk of an adult, with head, arms and legs beside it; as --shape adult.
    #[arg(long, value_enum, conflicts_with = "shape")]
    patient: Option<Patient>,
    /// Who it is, drawn by a seed: sex, height and mass; those given are kept [default: the reference man, 1.76 m, 73 kg].
    #[arg(long, value_name = "SEED")]
    patient_seed: Option<u64>,
    /// Sex of the patient: female (if nothing else is given 1.63 m, 60 kg) or male.
    #[arg(long, value_parser = sex)]
    patient_sex: Option<Sex>,
    /// Height of the patient [m], 1.4 to 2.1.
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    patient_height: Option<f64>,
    /// Mass of the patient [kg], 16 to 40 kg/m² [default: that of the same build].
    #[arg(long, value_name = "KG", allow_negative_numbers = true)]
    patient_mass: Option<f64>,
}

impl PatientArgs {
    /// The patient's physique; `None`: a bare torso.
    pub(crate) fn physique(&self, shape: Shape) -> anyhow::Result<Option<Physique>> {
        if self.patient.is_none() && shape != Shape::Adult {
            let given = [
                ("--patient-seed", self.patient_seed.is_some()),
                ("--patient-sex", self.patient_sex.is_some()),
                ("--patient-height", self.patient_height.is_some()),
                ("--patient-mass", self.patient_mass.is_some()),
            ];
            return match given.iter().find(|(_, is_given)| *is_given) {
                Some((option, _)) => {
                    let problem = format!("{option} needs --patient adult");
                    Err(Usage::new(insonate::models::ModelError::Conflict(problem)).into())
                }
                None => Ok(None),
            };
        }
        let mut physique = self.patient_seed.map_or_else(
            || Physique::reference(self.patient_sex.unwrap_or_default()),
            Physique::drawn,
        );
        physique.sex = self.patient_sex.unwrap_or(physique.sex);
        let build = physique.body_mass_index();
        physique.height = self.patient_height.unwrap_or(physique.height);
        physique.mass = self
            .patient_mass
            .unwrap_or(build * physique.height * physique.height);
        physique.check().map_err(Usage::new)?;
        Ok(Some(physique))
    }
}

fn sex(name: &str) -> Result<Sex, String> {
    let found = Sex::ALL.iter().find(|(known, _)| *known == name);
    found
        .map(|(_, sex)| *sex)
        .ok_or_else(|| "choose one of female, male".to_owned())
}
