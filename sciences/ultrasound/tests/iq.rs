//! Contract: complex lines have the envelope of the picture, the carrier's phase, and a file with the sampling parameters.

use insonate_ultrasound::deformation::{Point, Rigid};
use insonate_ultrasound::phantom::{Block, Scatterer};
use insonate_ultrasound::transducer::l11_5v;
use insonate_ultrasound::{BMode, Settings, View};
use nalgebra::Isometry3;

#[test]
fn lines_have_the_envelope_and_the_carriers_phase() {
    let settings = Settings {
        n_lines: 65,
        n_samples: 500,
        depth: 0.04,
        ..Settings::bare(&l11_5v())
    };
    let mut b_mode = BMode::new(&l11_5v(), &settings).expect("the settings are valid");
    let mut phases = Vec::new();
    // Each wire is deeper by a sixteenth of a wavelength.
    let wave = 1540.0 / b_mode.frequency();
    for n in 0..3 {
        let mut block = Block::points(&[], 1540.0, 0.0);
        block.scatterers.push(Scatterer {
            rest: Point::new(0.0, 0.0, 0.02 + n as f32 * wave as f32 / 16.0),
            amplitude: 100.0,
        });
        let rigid = Rigid::default();
        let view = View::new(&block, &rigid, &Isometry3::identity()).expect("the pose is valid");
        let frame = b_mode.frame(&view, 0).clone();
        let iq = b_mode.iq();
        assert_eq!((iq.n_lines, iq.n_samples), (65, 500));
        assert!((iq.sample_rate / (1540.0 / (2.0 * 0.04 / 500.0)) - 1.0).abs() < 1e-6);
        assert!((iq.center_frequency - b_mode.frequency()).abs() < 1e-6);
        for (pair, level) in iq.values.chunks_exact(2).zip(&frame.envelope) {
            let power = pair[0] * pair[0] + pair[1] * pair[1];
            if *level > -150.0 {
                assert!(
                    (10.0 * power.log10() - level).abs() < 1e-2,
                    "{power} {level}"
                );
            }
        }
        let at = 2 * (32 * 500 + 250);
        phases.push(f64::from(iq.values[at + 1].atan2(iq.values[at])));
        let file = iq.to_nrrd();
        let text = String::from_utf8_lossy(&file[..300]).into_owned();
        assert!(text.contains("sizes: 2 500 65\n"), "{text}");
        let rate = text
            .lines()
            .find_map(|line| line.strip_prefix("sample_rate_hz:="));
        let rate: f64 = rate.expect("a rate").parse().expect("a number");
        assert!((rate / iq.sample_rate - 1.0).abs() < 1e-9, "{text}");
        let end = file
            .windows(2)
            .position(|pair| pair == b"\n\n")
            .expect("a header ends");
        assert_eq!(file.len() - end - 2, 4 * iq.values.len());
    }
    // With two-way travel this is an eighth of a turn each.
    for pair in phases.windows(2) {
        let turn = (pair[1] - pair[0]).rem_euclid(std::f64::consts::TAU) / std::f64::consts::TAU;
        assert!((turn - 0.875).abs() < 0.01, "{phases:?}");
    }
}
