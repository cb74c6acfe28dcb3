//! Prints the tables of docs/trust/b-mode.md: `cargo run --release -p insonate-ultrasound --example validation`.

use insonate_ultrasound::beam::{Focusing, Pulse, TransmitFocus, lateral_width};
use insonate_ultrasound::deformation::Rigid;
use insonate_ultrasound::material::SOFT_TISSUE;
use insonate_ultrasound::measure::{
    attenuation_slope, autocovariance_width, contrast, point_targets, speckle_statistics,
};
use insonate_ultrasound::phantom::Block;
use insonate_ultrasound::transducer::{Transducer, by_name};
use insonate_ultrasound::{BMode, Frame, Material, Settings, UltrasoundError, View};
use nalgebra::Isometry3;

const SPEED: f64 = 1540.0;

fn main() -> Result<(), UltrasoundError> {
    let names = ["l11-5v", "c5-2"];
    let [linear, curved] = names.map(|name| by_name(name).expect("it is in the list"));
    points("L11-5v", &linear, 0.03, [15.0, 30.0, 45.0])?;
    points("C5-2v", &curved, 0.08, [40.0, 80.0, 120.0])?;
    f_numbers(&linear);
    for (name, transducer) in [("L11-5v", &linear), ("C5-2v", &curved)] {
        speckle(name, transducer)?;
        attenuation(name, transducer)?;
    }
    inclusions(&linear)
}

fn print(line: &str) {
    use std::io::Write as _;
    // Ignores a closed pipe.
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn points(
    name: &str,
    transducer: &Transducer,
    focus: f64,
    depths: [f64; 3],
) -> Result<(), UltrasoundError> {
    for f_number in [None, Some(2.0)] {
        let transmit = f_number.map(|f_number| TransmitFocus {
            depth: focus,
            f_number,
        });
        let settings = Settings {
            n_lines: 1025,
            focusing: Focusing {
                transmit,
                receive_f_number: 1.5,
            },
            ..Settings::bare(transducer)
        };
        for target in point_targets(transducer, &settings, &depths.map(|mm| 1e-3 * mm), 0.0)? {
            let [depth, lateral, axial, elevation] =
                [target.depth, target.lateral, target.axial, target.elevation].map(|m| 1e3 * m);
            let scheme = if transmit.is_some() {
                "focused"
            } else {
                "unfocused"
            };
            print(&format!(
                "{name} {scheme} {depth:.0} mm: {lateral:.3} {axial:.3} {elevation:.3} mm"
            ));
        }
    }
    Ok(())
}

fn f_numbers(transducer: &Transducer) {
    let pulse = Pulse::new(transducer);
    for receive_f_number in [1.5, 2.0, 3.0, 4.0] {
        let focusing = Focusing {
            transmit: None,
            receive_f_number,
        };
        let width = lateral_width(transducer, &focusing, &pulse, 0.03, SPEED);
        let factor = width / (transducer.wavelength(SPEED) * receive_f_number);
        print(&format!(
            "F/{receive_f_number}: {:.4} mm = {factor:.2} λF",
            1e3 * width
        ));
    }
}

fn image(
    transducer: &Transducer,
    settings: &Settings,
    block: &Block,
) -> Result<Frame, UltrasoundError> {
    let rigid = Rigid::default();
    let view = View::new(block, &rigid, &Isometry3::identity())?;
    Ok(BMode::new(transducer, settings)?.frame(&view, 0).clone())
}

const GRAIN: Material = Material {
    attenuation: 0.0,
    ..SOFT_TISSUE
};

fn speckle(name: &str, transducer: &Transducer) -> Result<(), UltrasoundError> {
    let settings = Settings {
        n_lines: 512,
        ..Settings::bare(transducer)
    };
    let frame = image(transducer, &settings, &Block::uniform(GRAIN))?;
    let lines = (20..frame.n_lines - 20).map(|line| &frame.line(line)[250..1000]);
    let all = speckle_statistics(&lines.flatten().copied().collect::<Vec<f32>>());
    let (snr, log_sd, level) = (all.snr, all.log_sd, all.level);
    print(&format!(
        "{name} speckle: SNR {snr:.3}, {log_sd:.2} dB, level {level:.2} dB"
    ));
    let [lines, samples] = [[20, 492], [450, 550]];
    let across = autocovariance_width(&frame, lines, samples, false);
    let along = 1e3 * frame.step * autocovariance_width(&frame, lines, samples, true);
    let depth = 500.0 * frame.step;
    let spacing = transducer.span() / 512.0;
    let distance = transducer
        .apex_radius()
        .map_or(spacing, |apex| spacing * (apex + depth));
    print(&format!(
        "{name} autocovariance at {:.0} mm: {:.3} × {along:.3} mm; beam {:.3} mm",
        1e3 * depth,
        1e3 * distance * across,
        1e3 * lateral_width(
            transducer,
            &settings.focusing,
            &Pulse::new(transducer),
            depth,
            SPEED
        ),
    ));
    Ok(())
}

fn attenuation(name: &str, transducer: &Transducer) -> Result<(), UltrasoundError> {
    for alpha in [0.3, 0.5, 0.7] {
        let found = attenuation_slope(transducer, &Settings::bare(transducer), alpha)?;
        let mhz = 1e-6 * found.frequency;
        print(&format!(
            "{name} α {alpha}: {:.4} dB/cm/MHz at {mhz:.2} MHz",
            found.slope
        ));
    }
    Ok(())
}

/// Compares with the theory for Rayleigh speckle: with the ratio q of powers, gCNR = q^(q/(1−q)) (1 − q).
fn inclusions(transducer: &Transducer) -> Result<(), UltrasoundError> {
    for step in [-3.0, -6.0, -9.0, -15.0] {
        let inclusion = Material {
            backscatter: step,
            ..GRAIN
        };
        let block = Block::uniform(GRAIN).with_rod(inclusion, [0.0, 0.03], 0.009);
        let settings = Settings {
            n_lines: 257,
            ..Settings::bare(transducer)
        };
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        for speckle_seed in 0..6 {
            let frame = image(
                transducer,
                &Settings {
                    speckle_seed,
                    ..settings.clone()
                },
                &block,
            )?;
            for line in 0..frame.n_lines {
                let levels = &frame.line(line)[520..700];
                match line {
                    100..157 => inside.extend_from_slice(levels),
                    10..50 | 207..247 => outside.extend_from_slice(levels),
                    _ => {}
                }
            }
        }
        let found = contrast(&inside, &outside);
        let q = 10f64.powf(0.1 * f64::from(step));
        print(&format!(
            "{step} dB: contrast {:.2} dB, CNR {:.3}, gCNR {:.3}; theory {:.3}",
            found.contrast,
            found.cnr,
            found.gcnr,
            q.powf(q / (1.0 - q)) * (1.0 - q),
        ));
    }
    Ok(())
}
