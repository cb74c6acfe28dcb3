//! Prints the contents of a log:
//! `cargo run -p insonate-tables --example read_log -- LOG [COLUMNS] [UNITS] [RATE]`.

use std::error::Error;
use std::io::Write as _;
use std::path::Path;

use insonate_tables::{Channel, Motion, ReadOptions, read};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let of = |at: usize| arguments.get(at).map_or("", String::as_str);
    let options = ReadOptions {
        columns: (!of(1).is_empty()).then(|| of(1).parse()).transpose()?,
        units: of(2).parse()?,
        rate: (!of(3).is_empty()).then(|| of(3).parse()).transpose()?,
        ..ReadOptions::default()
    };
    let log = read(Path::new(of(0)), &options)?;
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{} samples in {}, {}",
        log.len(),
        log.source.file,
        log.source.sha256
    )?;
    for line in log.source.columns.iter().chain(&log.source.notes) {
        writeln!(out, "  {line}")?;
    }
    writeln!(out, "time [s]: {}", range(&log.time))?;
    match &log.motion {
        Motion::Indentation(values) => writeln!(out, "indentation [m]: {}", range(values))?,
        Motion::Position(channel) => describe(&mut out, "position [m]", channel)?,
    }
    if let Some(velocity) = &log.velocity {
        describe(&mut out, "velocity [m/s]", velocity)?;
    }
    describe(&mut out, "force [N]", &log.force)?;
    Ok(())
}

fn describe(out: &mut impl std::io::Write, what: &str, channel: &Channel) -> std::io::Result<()> {
    match channel {
        Channel::Scalar(values) => writeln!(out, "{what}: {}", range(values)),
        Channel::Vector(values) => {
            ["x", "y", "z"]
                .iter()
                .enumerate()
                .try_for_each(|(axis, name)| {
                    let component: Vec<f64> = values.iter().map(|value| value[axis]).collect();
                    writeln!(out, "{what}, {name}: {}", range(&component))
                })
        }
    }
}

fn range(values: &[f64]) -> String {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{low} to {high}")
}
