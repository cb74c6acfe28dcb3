//! Frames of a patient's gallbladder and liver, and of a block of speckle with the attenuation of liver: beam space only, and with the picture.

#![expect(
    missing_docs,
    reason = "criterion's macro makes an undocumented function"
)]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use insonate_models::patients::Physique;
use insonate_ultrasound::deformation::{Indentation, Rigid};
use insonate_ultrasound::material::LIVER;
use insonate_ultrasound::phantom::{Adult, Block};
use insonate_ultrasound::transducer::c5_2;
use insonate_ultrasound::{BMode, Settings, View};
use nalgebra::Isometry3;

/// Lines and samples.
const SIZES: [[usize; 2]; 3] = [[128, 256], [256, 512], [256, 1024]];

fn frames(criterion: &mut Criterion) {
    let block = Block::uniform(LIVER);
    let rigid = Rigid::default();
    let pose = Isometry3::identity();
    let uniform = View::new(&block, &rigid, &pose).expect("the pose is valid");
    time(criterion, "b_mode", &uniform);

    let adult = Adult::new(&Physique::default(), 0).expect("an adult");
    let pose = adult
        .probe_pose([-0.09, -0.035], 1.57, 0.013)
        .expect("skin");
    let pressed = Indentation::new(Rigid::default(), &adult, &c5_2(), &pose, Indentation::DECAY)
        .expect("the decay is valid");
    let patient = View::new(&adult, &pressed, &pose).expect("the pose is valid");
    time(criterion, "b_mode_adult", &patient);
}

fn time(criterion: &mut Criterion, name: &str, view: &View) {
    let mut group = criterion.benchmark_group(name);
    for [n_lines, n_samples] in SIZES {
        let settings = Settings {
            n_lines,
            n_samples,
            ..Settings::of(&c5_2())
        };
        let mut b_mode = BMode::new(&c5_2(), &settings).expect("the settings are valid");
        let converter = b_mode.scan_converter(512).expect("the size is valid");
        let size = format!("{n_lines}x{n_samples}");
        group.bench_function(BenchmarkId::new("beam_space", &size), |bencher| {
            bencher.iter(|| b_mode.frame(view, 0).n_lines);
        });
        let mut picture = Vec::new();
        group.bench_function(BenchmarkId::new("picture", &size), |bencher| {
            bencher.iter(|| converter.picture(b_mode.frame(view, 0), &mut picture));
        });
    }
    group.finish();
}

criterion_group!(benches, frames);
criterion_main!(benches);
