//! How long reading two million samples takes, hash included: text, NumPy and Parquet.

use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use insonate_calibration::formats::{ReadOptions, read};

const SAMPLES: usize = 2_000_000;

/// Time, indentation, velocity and force of a 2 Hz press at 1 kHz.
fn sample(i: usize) -> [f64; 4] {
    let t = i as f64 * 1e-3;
    let (sin, cos) = (4.0 * std::f64::consts::PI * t).sin_cos();
    let (r, v) = (0.005 + 0.004 * sin, 0.05026548 * cos);
    [t, r, v, 1500.0 * r + 30.0 * v]
}

fn write_csv(path: &Path) -> std::io::Result<()> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    writeln!(file, "time_s,indentation_m,velocity_m_s,force_n")?;
    for i in 0..SAMPLES {
        let [t, r, v, f] = sample(i);
        writeln!(file, "{t:.3},{r:.9},{v:.9},{f:.8}")?;
    }
    file.flush()
}

fn read_log(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("the temporary folder can be written");
    let path = folder.path().join("log.csv");
    write_csv(&path).expect("the temporary folder can be written");
    let mut group = criterion.benchmark_group("read_log_2_million");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(10));
    group.bench_function("csv", |bencher| {
        bencher.iter(|| black_box(read(&path, &ReadOptions::default()).expect("the log is sound")));
    });
    group.finish();
}

criterion_group!(benches, read_log);
criterion_main!(benches);
