//! Contract: a GPU makes the same pictures as the CPU and the same bits on each run; a frame does not depend on other frames of a batch.
#![cfg(feature = "gpu")]

use insonate_gpu::{DeviceError, Gpu};
use insonate_models::patients::Physique;
use insonate_ultrasound::deformation::{Deformation, Indentation, Rigid};
use insonate_ultrasound::material::{BILE, SOFT_TISSUE};
use insonate_ultrasound::phantom::{Adult, Block, Phantom, Scatterer};
use insonate_ultrasound::transducer::{Transducer, c5_2, l12_5, p4_2};
use insonate_ultrasound::{BMode, Frame, GpuBMode, Settings, UltrasoundError, View};
use nalgebra::Isometry3;

/// If set to 1, a test without a driver fails instead of being skipped.
const REQUIRE_GPU: &str = "INSONATE_REQUIRE_GPU";

/// The GPU; `None` if there is no driver, so that the test is skipped.
fn gpu() -> Option<Gpu> {
    match Gpu::open() {
        Ok(gpu) => Some(gpu),
        Err(error @ DeviceError::NoDriver(_)) => {
            let is_required = std::env::var(REQUIRE_GPU).is_ok_and(|value| value == "1");
            assert!(!is_required, "{REQUIRE_GPU} is 1, but {error}");
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// A phantom, its deformation and the pose of the probe.
struct ImagingCase<'a> {
    phantom: &'a dyn Phantom,
    deformation: Box<dyn Deformation>,
    pose: Isometry3<f64>,
}

fn adult() -> Adult {
    Adult::new(&Physique::default(), 3).expect("the test is valid")
}

/// Tissue with a cyst and a wire.
fn block(depth: f32) -> Block {
    let mut block = Block::uniform(SOFT_TISSUE).with_rod(BILE, [0.004, 0.5 * depth], 0.004);
    block.scatterers.push(Scatterer {
        rest: [-0.006, 0.0, 0.4 * depth].into(),
        amplitude: 20.0,
    });
    block
}

impl<'a> ImagingCase<'a> {
    /// A view with an oblique pose.
    fn oblique(block: &'a Block) -> Self {
        Self {
            phantom: block,
            deformation: Box::new(Rigid::default()),
            pose: Isometry3::new([0.001, 0.002, 0.0].into(), [0.1, 0.2, 0.3].into()),
        }
    }

    /// Liver and gallbladder, at an offset along the body.
    fn pressed(adult: &'a Adult, transducer: &Transducer, along: f64) -> Self {
        let site = [-0.09, -0.035 + along];
        let pose = adult
            .probe_pose(site, std::f64::consts::FRAC_PI_2, 0.013)
            .expect("the test is valid");
        let rigid = Rigid::default();
        let pressed = Indentation::new(rigid, adult, transducer, &pose, Indentation::DECAY);
        Self {
            phantom: adult,
            deformation: Box::new(pressed.expect("the test is valid")),
            pose,
        }
    }

    fn view(&self) -> View<'_> {
        View::new(self.phantom, &*self.deformation, &self.pose).expect("the test is valid")
    }
}

fn small(transducer: &Transducer) -> Settings {
    Settings {
        n_lines: 100,
        n_samples: 300,
        ..Settings::of(transducer)
    }
}

/// Median difference of levels above the noise [dB], and correlation of envelopes.
fn difference(transducer: &Transducer, wanted: &Frame, found: &Frame) -> (f32, f64) {
    let settings = small(transducer);
    // Level of the noise after the gain, plus 6 dB.
    let megahertz = 1e-6
        * BMode::new(transducer, &settings)
            .expect("the test is valid")
            .frequency();
    let floor = |sample: usize| {
        let range_cm = 100.0 * wanted.step * sample as f64;
        settings.noise + 2.0 * settings.compensation * megahertz * range_cm + 6.0
    };
    let mut differences = Vec::new();
    let (mut sums, mut n) = ([0.0; 5], 0.0);
    for line in 0..wanted.n_lines {
        let levels = wanted.line(line).iter().zip(found.line(line));
        for (sample, (wanted, found)) in levels.enumerate() {
            if f64::from(*wanted) > floor(sample) {
                differences.push((wanted - found).abs());
            }
            // Excludes ring-down, which is the same in all frames.
            if sample > 30 {
                let [a, b] = [wanted, found].map(|level| 10f64.powf(f64::from(*level) / 20.0));
                for (sum, term) in sums.iter_mut().zip([a, b, a * a, b * b, a * b]) {
                    *sum += term;
                }
                n += 1.0;
            }
        }
    }
    differences.sort_by(f32::total_cmp);
    let [a, b, aa, bb, ab] = sums.map(|sum| sum / n);
    let correlation = (ab - a * b) / ((aa - a * a) * (bb - b * b)).sqrt();
    (differences[differences.len() / 2], correlation)
}

#[test]
fn pictures_match_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let adult = adult();
    for transducer in [c5_2(), l12_5(), p4_2()] {
        let settings = small(&transducer);
        let mut on_gpu = GpuBMode::new(&gpu, &transducer, &settings, 2, Some(101)).unwrap();
        let mut on_cpu = BMode::new(&transducer, &settings).unwrap();
        let converter = on_cpu.scan_converter(101).unwrap();
        let block = block(settings.depth as f32);
        let cases = [
            ImagingCase::oblique(&block),
            ImagingCase::pressed(&adult, &transducer, 0.0),
        ];
        for case in cases {
            let wanted = on_cpu.frame(&case.view(), 5);
            let found = on_gpu.frames(&[(case.view(), 5)]).unwrap();
            assert_eq!(wanted.labels, found[0].labels);
            assert_eq!(wanted.coupled, found[0].coupled);
            let (median, correlation) = difference(&transducer, wanted, &found[0]);
            let apart = 1.0 - correlation;
            eprintln!("median difference {median:e} dB, correlation 1 - {apart:e}");
            assert!(median < 0.1, "{median} dB");
            assert!(correlation > 0.999, "{correlation}");
            // The GPU's own frame, converted by the CPU: rounding to whole levels may differ.
            let mut picture = Vec::new();
            converter.picture(&found[0], &mut picture);
            let pairs = picture.iter().zip(&on_gpu.pictures()[0]);
            assert!(pairs.clone().all(|(a, b)| a.abs_diff(*b) <= 1));
            assert!(pairs.filter(|(a, b)| a != b).count() < picture.len() / 500);
        }
    }
}

#[test]
fn frames_do_not_depend_on_the_run_or_on_other_frames_of_a_batch() {
    let Some(gpu) = gpu() else { return };
    let transducer = c5_2();
    let settings = Settings {
        n_lines: 40,
        n_samples: 128,
        ..Settings::of(&transducer)
    };
    let adult = adult();
    let cases: Vec<ImagingCase> = (0..16)
        .map(|n| ImagingCase::pressed(&adult, &transducer, 0.004 * f64::from(n)))
        .collect();
    let shots: Vec<(View, u64)> = cases.iter().map(ImagingCase::view).zip(3..).collect();
    let mut together = GpuBMode::new(&gpu, &transducer, &settings, 16, Some(64)).unwrap();
    let mut alone = GpuBMode::new(&gpu, &transducer, &settings, 1, Some(64)).unwrap();
    assert_eq!([together.n_at_once(), alone.n_at_once()], [16, 1]);
    let bits = |frames: &[Frame]| -> Vec<Vec<u32>> {
        let own = |frame: &Frame| frame.envelope.iter().map(|level| level.to_bits()).collect();
        frames.iter().map(own).collect()
    };
    let wanted = bits(together.frames(&shots).unwrap());
    assert_eq!(wanted.len(), 16);
    assert!(wanted[0] != wanted[1]);
    // A second run; sixteen submissions of one frame each; a part of the frames.
    assert!(wanted == bits(together.frames(&shots).unwrap()));
    let pictures = together.pictures().to_vec();
    assert!(wanted == bits(alone.frames(&shots).unwrap()));
    assert!(pictures == alone.pictures());
    assert!(wanted[5..8] == bits(together.frames(&shots[5..8]).unwrap()));
}

#[test]
fn invalid_settings_and_a_lost_gpu_are_errors() {
    let Some(gpu) = gpu() else { return };
    let transducer = c5_2();
    let settings = small(&transducer);
    let refused = |settings: &Settings, n_frames, size| {
        let error = GpuBMode::new(&gpu, &transducer, settings, n_frames, size).unwrap_err();
        assert!(matches!(error, UltrasoundError::Setting(_)), "{error}");
        error.to_string()
    };
    assert!(refused(&settings, 0, None).contains("frames at once"));
    assert!(refused(&settings, 1, Some(1)).contains("size of the picture"));
    let dull = Settings {
        n_lines: 1,
        ..settings.clone()
    };
    assert!(refused(&dull, 1, None).contains("n_lines"));
    let mut b_mode = GpuBMode::new(&gpu, &transducer, &settings, 1, None).unwrap();
    assert!(b_mode.frames(&[]).unwrap().is_empty());
    let block = block(0.15);
    let case = ImagingCase::oblique(&block);
    b_mode.frames(&[(case.view(), 0)]).unwrap();
    assert!(b_mode.pictures()[0].is_empty());
    gpu.destroy();
    let lost = b_mode.frames(&[(case.view(), 0)]);
    let is_lost = matches!(lost, Err(UltrasoundError::Gpu(DeviceError::Lost(_))));
    assert!(is_lost, "{lost:?}");
}
