//! The options that say who lies on the table.

use std::path::{Path, PathBuf};

use clap::Args;
use insonate::experiments::OwnPatient;
use insonate::models::ModelError;
use insonate::models::patients::{Physique, Sex};
use insonate::models::torsos::Shape;

use super::Usage;

/// Word for the procedural patient.
const ADULT: &str = "adult";

/// Who lies on the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Patient {
    /// An adult of real size.
    Adult,
    /// A patient that `insonate patient make` wrote.
    Folder(PathBuf),
}

/// Who lies there.
#[derive(Clone, Debug)]
pub(crate) enum Person {
    /// A bare torso.
    Nobody,
    /// The procedural adult.
    Adult(Physique),
    /// A patient of a folder.
    Own(Box<OwnPatient>),
}

/// The options of the adult's physique.
#[expect(clippy::struct_field_names, reason = "they are the options' names")]
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct PhysiqueArgs {
    /// Sex of the patient: female (if nothing else is given 1.63 m, 60 kg) or male.
    #[arg(long, value_parser = sex)]
    patient_sex: Option<Sex>,
    /// Height of the patient [m], 1.4 to 2.1.
    #[arg(long, value_name = "M")]
    patient_height: Option<f64>,
    /// Mass of the patient [kg], at a body mass index of 16 to 40 kg/m² [default: same build as the reference].
    #[arg(long, value_name = "KG")]
    patient_mass: Option<f64>,
}

/// Who lies there, as far as options say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PatientChoice<'a> {
    pub(crate) patient: Option<&'a Patient>,
    pub(crate) seed: Option<u64>,
    pub(crate) physique: PhysiqueArgs,
}

impl<'a> PatientChoice<'a> {
    /// Who lies there.
    pub(crate) fn person(self, shape: Shape) -> anyhow::Result<Person> {
        if let Some(folder) = self.folder()? {
            check_folder(folder)?;
            let own = OwnPatient::read(folder).map_err(Usage::new)?;
            return Ok(Person::Own(Box::new(own)));
        }
        let physique = self.physique(shape)?;
        Ok(physique.map_or(Person::Nobody, Person::Adult))
    }

    /// The adult's physique; `None`: a bare torso.
    pub(crate) fn physique(self, shape: Shape) -> anyhow::Result<Option<Physique>> {
        let conflict = |problem: String| Usage::new(ModelError::Conflict(problem)).into();
        if let Some(Patient::Folder(folder)) = self.patient {
            let folder = folder.display();
            return Err(conflict(format!(
                "--patient {folder} is a folder; choose --patient adult"
            )));
        }
        if self.patient.is_none() && shape != Shape::Adult {
            return match self.given().first() {
                Some(option) => Err(conflict(format!("{option} needs --patient adult"))),
                None => Ok(None),
            };
        }
        let given = self.physique;
        let mut physique = self.seed.map_or_else(
            || Physique::reference(given.patient_sex.unwrap_or_default()),
            Physique::drawn,
        );
        physique.sex = given.patient_sex.unwrap_or(physique.sex);
        let physique = physique.with(given.patient_height, given.patient_mass);
        physique.check().map_err(Usage::new)?;
        Ok(Some(physique))
    }

    /// The folder of the patient; `None` for the adult.
    pub(crate) fn folder(self) -> anyhow::Result<Option<&'a Path>> {
        let Some(Patient::Folder(folder)) = self.patient else {
            return Ok(None);
        };
        match self.given().first() {
            Some(option) => {
                let problem = format!("{option} needs --patient adult");
                Err(Usage::new(ModelError::Conflict(problem)).into())
            }
            None => Ok(Some(folder)),
        }
    }

    /// The options of the adult that were given.
    pub(crate) fn given(self) -> Vec<&'static str> {
        super::given(&[
            ("--patient-seed", self.seed.is_some()),
            ("--patient-sex", self.physique.patient_sex.is_some()),
            ("--patient-height", self.physique.patient_height.is_some()),
            ("--patient-mass", self.physique.patient_mass.is_some()),
        ])
    }
}

/// Checks that a path that exists is the folder of a patient, and not the segmentation that one is made of.
pub(crate) fn check_folder(path: &Path) -> Result<(), Usage> {
    if !path.exists() || insonate::anatomy::Patient::is_in(path) {
        return Ok(());
    }
    let path = path.display();
    Err(Usage::from(Box::from(format!(
        "{path} has no patient.toml; to make a patient of a segmentation, run `insonate patient make {path} --output output/patient`"
    ))))
}

/// The adult, or the folder of a patient.
pub(crate) fn patient(text: &str) -> Result<Patient, String> {
    if text == ADULT {
        return Ok(Patient::Adult);
    }
    let folder = Path::new(text);
    // A single word may be a misspelt one.
    if folder.components().count() > 1 || folder.is_dir() {
        return Ok(Patient::Folder(folder.to_owned()));
    }
    Err("choose adult, or a folder that insonate patient make wrote".to_owned())
}

/// The sex of this name.
pub(crate) fn sex(name: &str) -> Result<Sex, String> {
    let found = Sex::ALL.iter().find(|(known, _)| *known == name);
    found
        .map(|(_, sex)| *sex)
        .ok_or_else(|| "choose one of female, male".to_owned())
}
