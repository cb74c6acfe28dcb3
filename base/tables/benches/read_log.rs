//! Run time of reading two million samples, including the hash, from text, NumPy and Parquet.

#![expect(
    missing_docs,
    reason = "criterion's macros make undocumented functions"
)]

use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Result, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use insonate_tables::{ReadOptions, read};
use parquet::data_type::DoubleType;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

const SAMPLES: usize = 2_000_000;
const NAMES: [&str; 4] = ["time_s", "indentation_m", "velocity_m_s", "force_n"];

/// Time, indentation, velocity and force of a 2 Hz press at 1 kHz.
fn sample(i: usize) -> [f64; 4] {
    let t = i as f64 * 1e-3;
    let (sin, cos) = (4.0 * std::f64::consts::PI * t).sin_cos();
    let (r, v) = (0.005 + 0.004 * sin, 0.05026548 * cos);
    [t, r, v, 1500.0 * r + 30.0 * v]
}

/// Nine significant digits.
fn write_csv(path: &Path) -> Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    writeln!(file, "{}", NAMES.join(","))?;
    for i in 0..SAMPLES {
        let [t, r, v, f] = sample(i);
        writeln!(file, "{t:.3},{r:.11},{v:.10},{f:.8}")?;
    }
    file.flush()
}

fn write_npy(path: &Path) -> Result<()> {
    let fields: Vec<String> = NAMES
        .iter()
        .map(|name| format!("('{name}', '<f8')"))
        .collect();
    let header = format!(
        "{{'descr': [{}], 'fortran_order': False, 'shape': ({SAMPLES},), }}\n",
        fields.join(", ")
    );
    let mut file = BufWriter::new(File::create(path)?);
    file.write_all(b"\x93NUMPY\x01\x00")?;
    file.write_all(&(header.len() as u16).to_le_bytes())?;
    file.write_all(header.as_bytes())?;
    for value in (0..SAMPLES).flat_map(sample) {
        file.write_all(&value.to_le_bytes())?;
    }
    file.flush()
}

fn write_parquet(path: &Path) -> parquet::errors::Result<()> {
    let columns: Vec<String> = NAMES
        .iter()
        .map(|name| format!("required double {name};"))
        .collect();
    let schema = parse_message_type(&format!("message log {{ {} }}", columns.join(" ")))?;
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(File::create(path)?, Arc::new(schema), properties)?;
    let mut group = writer.next_row_group()?;
    for column in 0..NAMES.len() {
        let values: Vec<f64> = (0..SAMPLES).map(|i| sample(i)[column]).collect();
        if let Some(mut writer) = group.next_column()? {
            writer
                .typed::<DoubleType>()
                .write_batch(&values, None, None)?;
            writer.close()?;
        }
    }
    group.close()?;
    writer.close()?;
    Ok(())
}

fn read_log(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("the temporary folder can be written");
    let file = |ending: &str| folder.path().join("log").with_extension(ending);
    write_csv(&file("csv")).expect("the temporary folder can be written");
    write_npy(&file("npy")).expect("the temporary folder can be written");
    write_parquet(&file("parquet")).expect("the temporary folder can be written");
    let mut group = criterion.benchmark_group("read_log_2_million");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(5));
    for ending in ["csv", "npy", "parquet"] {
        let path = file(ending);
        group.bench_function(ending, |bencher| {
            bencher.iter(|| {
                black_box(read(&path, &ReadOptions::default()).expect("the log is sound"))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, read_log);
criterion_main!(benches);
