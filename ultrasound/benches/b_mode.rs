//! Frames of a block of speckle, attenuating as liver does: beam space alone, and with the picture.

#![expect(
    missing_docs,
    reason = "criterion's macro makes an undocumented function"
)]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use insonate_ultrasound::deformation::Rigid;
use insonate_ultrasound::material::LIVER;
use insonate_ultrasound::phantom::Block;
use insonate_ultrasound::transducer::c5_2;
use insonate_ultrasound::{BMode, Settings, View};
use nalgebra::Isometry3;

fn frames(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("b_mode");
    let block = Block::uniform(LIVER);
    let rigid = Rigid::default();
    let view = View::new(&block, &rigid, &Isometry3::identity()).expect("the pose is right");
    for [n_lines, n_samples] in [[128, 256], [256, 512], [256, 1024]] {
        let settings = Settings {
            n_lines,
            n_samples,
            ..Settings::of(&c5_2())
        };
        let mut b_mode = BMode::new(&c5_2(), &settings).expect("the settings are right");
        let converter = b_mode.scan_converter(512).expect("the size is right");
        let size = format!("{n_lines}x{n_samples}");
        group.bench_function(BenchmarkId::new("beam_space", &size), |bencher| {
            bencher.iter(|| b_mode.frame(&view, 0).n_lines);
        });
        let mut picture = Vec::new();
        group.bench_function(BenchmarkId::new("picture", &size), |bencher| {
            bencher.iter(|| converter.picture(b_mode.frame(&view, 0), &mut picture));
        });
    }
    group.finish();
}

criterion_group!(benches, frames);
criterion_main!(benches);
