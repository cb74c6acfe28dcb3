//! Run time of a fit including statistics: two million samples with `divided`, and a press of 3000 samples with every
//! model.
#![expect(
    missing_docs,
    reason = "criterion's macros make undocumented functions"
)]
#![expect(clippy::unwrap_used, reason = "a bench ends on an error")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use insonate_calibration::{
    FitOptions, PrepareOptions, Samples, models, prepare,
    synthetic::{Law, MotionFrame, SyntheticLog, Trajectory},
};

/// Kelvin–Voigt, either in contact throughout, or a press whose surface must be estimated.
fn samples(frame: MotionFrame, motion: Trajectory, rate: f64) -> Samples {
    let law = Law::KelvinVoigt {
        stiffness: 1324.17,
        damping: 17.59,
    };
    let mut recipe = SyntheticLog::new(law, motion, frame);
    recipe.rate = rate;
    prepare(&recipe.generate(), &PrepareOptions::default())
        .unwrap()
        .samples
}

fn fits(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fit");
    group.sample_size(10);
    // 20 s at 100 kHz.
    let many = samples(MotionFrame::Indentation, Trajectory::palpation(40.0), 1e5);
    for model in ["divided", "kelvin-voigt"] {
        let kind = models::by_name(model).unwrap();
        group.bench_function(format!("{model}, {} samples", many.len()), |bencher| {
            bencher.iter(|| kind.fit(black_box(&many), &FitOptions::default()).unwrap());
        });
    }
    let frame = MotionFrame::Axis {
        surface: 0.12,
        outward: true,
    };
    let press = samples(frame, Trajectory::press(), 500.0);
    for kind in models::ALL {
        group.bench_function(format!("{}, one press", kind.name), |bencher| {
            bencher.iter(|| kind.fit(black_box(&press), &FitOptions::default()).unwrap());
        });
    }
    group.finish();
}

criterion_group!(benches, fits);
criterion_main!(benches);
