//! Makes the files of a patient: `make_patient SEGMENTATION OUTPUT [CLASS_MAP]`.

use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use insonate_anatomy::{Findings, Patient, PatientSettings, Tissues};
use insonate_volumes::{ClassMap, Segmentation};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(source), Some(output)) = (arguments.next(), arguments.next()) else {
        return Err("give a segmentation and a folder".into());
    };
    let map = arguments.next().map(|name| ClassMap::find(&name));
    let mut out = std::io::stdout().lock();
    let start = Instant::now();
    let read = Segmentation::read(&source, map.transpose()?.as_ref())?;
    writeln!(
        out,
        "read {:?} voxels after {:.1} s",
        read.count(),
        start.elapsed().as_secs_f64()
    )?;
    let tissues = Tissues::standard()?;
    let found = Findings::of(&read, &tissues);
    writeln!(
        out,
        "{:?}, {} classes",
        found.verdict(),
        found.classes.len()
    )?;
    for line in found.refusals.iter().chain(&found.warnings) {
        writeln!(out, "- {line}")?;
    }
    let patient = Patient::make(&read, &tissues, &PatientSettings::default(), &source)?;
    std::fs::create_dir_all(&output)?;
    for (name, content) in patient.files()? {
        std::fs::write(Path::new(&output).join(name), content)?;
    }
    let n = patient.skin.triangles.len();
    writeln!(
        out,
        "{n} triangles of skin after {:.1} s",
        start.elapsed().as_secs_f64()
    )?;
    Ok(())
}
