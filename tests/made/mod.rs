//! A made patient for tests: the procedural adult, segmented in large voxels. The command `patient make` takes longer, as it draws a report.

use std::path::Path;

use insonate::anatomy::{Patient, PatientSettings, Tissues};
use insonate::models::patients::{Physique, Sex};
use insonate::ultrasound::phantom::Adult;

/// Writes the folder of a patient with voxels of an edge [m].
pub(crate) fn write_patient(sex: Sex, edge: f64, folder: &Path) {
    let adult = Adult::new(&Physique::reference(sex), 0).expect("it is an adult");
    let segmentation = adult.segmentation(edge).expect("the voxels fit");
    let tissues = Tissues::standard().expect("the table is valid");
    let settings = PatientSettings::default();
    let patient = Patient::make(&segmentation, &tissues, &settings, "a test");
    let patient = patient.expect("nothing speaks against it");
    std::fs::create_dir_all(folder).expect("the folder is new");
    for (name, bytes) in patient.files().expect("it is described") {
        std::fs::write(folder.join(name), bytes).expect("it is written");
    }
}
