//! Contract: insonate's own recordings repeat bit by bit by their actions; the poses of other programs are followed in a scene, and what
//! their columns mean is given, or refused.

mod command;

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use command::{insonate, json, refused, stderr};
use parquet::data_type::{FloatType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

#[test]
fn own_actions_give_the_same_bits() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let output = scratch.path().join("replay");
    for (format, name) in [
        ("lerobot", "set"),
        ("robomimic", "set.hdf5"),
        ("open-h", "open-h"),
    ] {
        let set = scratch.path().join(name);
        // Too short for the task's verdict.
        let told = insonate(&format!(
            "demonstrate probe-press --episodes 2 --seed 4 --set env.time.limit=0.6 --format {format} --output {}",
            set.display()
        ));
        assert!(stderr(&told).contains("the data set was written"));
        let words = format!(
            "replay {} --episode 1 --output {}",
            set.display(),
            output.display()
        );
        let summary = json(&words);
        assert_eq!(summary["identical"], true, "{summary}");
        assert_eq!(
            (&summary["by"], number(&summary["force_rmse_n"])),
            (&"actions".into(), 0.0)
        );
        assert!(number(&summary["position_error_max_m"]) < 1e-6, "{summary}");
        assert!(number(&summary["force_peak_recorded_n"]) > 1.0, "{summary}");
        let log = fs::read_to_string(output.join("log.csv")).expect("it was written");
        assert_eq!(
            log.lines().count() as u64,
            1 + summary["rows"].as_u64().expect("a number")
        );
        let picture = fs::read(output.join("replay.png")).expect("it was written");
        assert!(picture.starts_with(b"\x89PNG"));
        let meta = set.join("meta/insonate.json");
        if !meta.is_file() {
            continue;
        }
        // The seed of another episode is another patient.
        let text = fs::read_to_string(&meta).expect("it succeeds");
        let mut own: Value = serde_json::from_str(&text).expect("it succeeds");
        own["seeds"][1] = 77.into();
        fs::write(&meta, own.to_string()).expect("it succeeds");
        let told = insonate(&format!("{words} --json"));
        assert_eq!(told.status.code(), Some(1), "{}", stderr(&told));
        let summary: Value = serde_json::from_slice(&told.stdout).expect("it is JSON");
        assert_eq!(summary["identical"], false, "{summary}");
        own["kinds"][1] = "recovery".into();
        fs::write(&meta, own.to_string()).expect("it succeeds");
        let line = refused(&format!("{words} --by actions"), 2);
        assert!(line.contains("begins after a disturbance"), "{line}");
    }
}

/// The poses of a press are followed in a scene with the same softness, and in one that is half as stiff.
#[test]
fn own_poses_give_nearly_the_same_force() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let set = scratch.path().join("set");
    insonate(&format!(
        "demonstrate probe-press --episodes 1 --seed 4 --set env.time.limit=1.5 --fix torso.stiffness=900 --fix torso.damping=9 --output {}",
        set.display()
    ));
    let replayed = |softness: &str| {
        json(&format!(
            "replay {} --episode 0 --by poses --torso fast {softness} --output {}",
            set.display(),
            scratch.path().join("replay").display()
        ))
    };
    let summary = replayed("--stiffness 900 --damping 9");
    assert_eq!(summary["identical"], Value::Null);
    assert!(number(&summary["position_rmse_m"]) < 3e-4, "{summary}");
    let peak = number(&summary["force_peak_recorded_n"]);
    assert!(
        peak > 5.0 && number(&summary["force_rmse_n"]) < 0.02 * peak,
        "{summary}"
    );
    let summary = replayed("--stiffness 450 --damping 9");
    assert!(
        number(&summary["force_peak_simulated_n"]) < 0.7 * peak,
        "{summary}"
    );
}

/// Times [s] of a recording of 2 s.
fn times() -> impl Iterator<Item = f64> {
    (0..101).map(|row| f64::from(row) * 0.02)
}

/// Height of the probe above its middle position [m].
fn height(time: f64) -> f64 {
    0.03 * (std::f64::consts::PI * time).sin()
}

/// Force of a spring of 200 N/m on which the recorded probe presses below its middle position, and pulls above [N].
fn spring(time: f64) -> f64 {
    -200.0 * height(time)
}

/// Writes a column of a row group.
fn list(group: &mut SerializedRowGroupWriter<'_, File>, rows: &[Vec<f64>]) {
    let width = rows[0].len();
    let values: Vec<f32> = rows.iter().flatten().map(|&number| number as f32).collect();
    let n = values.len();
    let repetition: Vec<i16> = (0..n).map(|i| i16::from(i % width != 0)).collect();
    let mut column = group.next_column().expect("it succeeds").expect("one more");
    column
        .typed::<FloatType>()
        .write_batch(&values, Some(&vec![3; n]), Some(&repetition))
        .expect("it succeeds");
    column.close().expect("it succeeds");
}

/// A folder of a laboratory: a probe that looks down moves up and down in the air, 0.56 m in front of the base, and reports the force of
/// the spring on it. `jump` moves one row [m].
fn write_lab(folder: &Path, jump: f64) {
    let pose = |(row, time): (usize, f64)| {
        let jump = if row == 50 { jump } else { 0.0 };
        vec![
            0.56 + jump,
            0.0,
            0.3 + height(time),
            std::f64::consts::PI,
            0.0,
            0.0,
        ]
    };
    let poses: Vec<Vec<f64>> = times().enumerate().map(pose).collect();
    // Of the tissue on the probe, upwards where it presses.
    let forces: Vec<Vec<f64>> = times().map(|time| vec![0.0, 0.0, spring(time)]).collect();
    let info = serde_json::json!({
        "codebase_version": "v2.1", "total_episodes": 1, "fps": 50, "features": {
            "action": { "dtype": "float32", "shape": [6], "names": null },
            "observation.force": { "dtype": "float32", "shape": [3], "names": null },
            "episode_index": { "dtype": "int64", "shape": [1], "names": null },
        },
    });
    for part in ["meta", "data/chunk-000"] {
        fs::create_dir_all(folder.join(part)).expect("it succeeds");
    }
    fs::write(folder.join("meta/info.json"), info.to_string()).expect("it succeeds");
    let floats = |name: &str| {
        format!(
            "optional group {name} (LIST) {{ repeated group list {{ optional float element; }} }}"
        )
    };
    let schema = format!(
        "message schema {{ {} {} optional int64 episode_index; }}",
        floats("action"),
        floats("observation.force")
    );
    let schema = Arc::new(parse_message_type(&schema).expect("it succeeds"));
    let path = folder.join("data/chunk-000/episode_000000.parquet");
    let out = File::create(path).expect("it succeeds");
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(out, schema, properties).expect("it succeeds");
    let mut group = writer.next_row_group().expect("it succeeds");
    list(&mut group, &poses);
    list(&mut group, &forces);
    let mut column = group.next_column().expect("it succeeds").expect("one more");
    let n = poses.len();
    column
        .typed::<Int64Type>()
        .write_batch(&vec![0; n], Some(&vec![1; n]), None)
        .expect("it succeeds");
    column.close().expect("it succeeds");
    group.close().expect("it succeeds");
    writer.close().expect("it succeeds");
}

/// In the air the simulated force is zero, so that the error is the recorded force itself.
#[test]
fn a_labs_spring_is_missing_in_the_air() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let (lab, output) = (scratch.path().join("lab"), scratch.path().join("replay"));
    write_lab(&lab, 0.0);
    let words = format!(
        "replay {} --episode 0 --torso none --output {}",
        lab.display(),
        output.display()
    );
    let columns = "--columns pose-rpy=action,force=observation.force";
    let line = refused(&words, 2);
    assert!(line.contains("action (6), observation.force (3)"), "{line}");
    let line = refused(&format!("{words} {columns}"), 2);
    assert!(
        line.contains("pose-frame") && line.contains("world or base"),
        "{line}"
    );
    let line = refused(
        &format!("{words} {columns} --pose-frame base --force-frame base"),
        2,
    );
    assert!(
        line.contains("sign") && line.contains("pressing-positive"),
        "{line}"
    );
    let line = refused(
        &format!("{words} --columns pose-rpy=observation.force --pose-frame base"),
        2,
    );
    assert!(
        line.contains("has 3 numbers in a row, and a pose-rpy has 6"),
        "{line}"
    );
    let known = format!("{columns} --pose-frame base --force-frame base --sign pressing-negative");
    let summary = json(&format!("{words} {known}"));
    let squares: f64 = times().map(|time| spring(time).powi(2)).sum();
    let expected = (squares / times().count() as f64).sqrt();
    assert!(
        (number(&summary["force_rmse_n"]) - expected).abs() < 0.05,
        "{expected}: {summary}"
    );
    assert!(
        number(&summary["force_peak_simulated_n"]) < 0.2,
        "{summary}"
    );
    assert!(
        (number(&summary["force_peak_recorded_n"]) - 6.0).abs() < 1e-3,
        "{summary}"
    );
    assert!(number(&summary["position_rmse_m"]) < 5e-4, "{summary}");
    assert!(number(&summary["rotation_rmse_rad"]) < 5e-3, "{summary}");
    assert_eq!(summary["torque_rmse_nm"], Value::Null);
    assert_eq!(summary["missing"][0], "torque: not recorded");
    // A probe that looks down presses along its axis when the spring pushes it up: at 1.5 s, 3 cm below the middle, with 6 N.
    let log = fs::read(output.join("log.csv")).expect("it was written");
    let mut log = csv::Reader::from_reader(log.as_slice());
    let header = log.headers().expect("it has one").clone();
    let row = log
        .records()
        .nth(75)
        .expect("it is there")
        .expect("it is valid");
    let at = |name: &str| -> f64 {
        let column = header.iter().position(|it| it == name).expect("the column");
        row[column].parse().expect("a number")
    };
    assert!((at("force_z_n") - 6.0).abs() < 1e-3 && at("force_x_n").abs() < 1e-3);
    // The base is at (-0.56, 0, 0.8) m.
    assert!(at("position_x_m").abs() < 1e-6 && (at("position_z_m") - 1.07).abs() < 1e-6);
    assert!((at("simulated_position_z_m") - 1.07).abs() < 1e-3);

    write_lab(&lab, 0.2);
    let line = refused(&format!("{words} {known}"), 2);
    assert!(line.contains("speed of row 50 is"), "{line}");
    let line = refused(&format!("{words} --by actions"), 2);
    assert!(line.contains("--torso has no effect"), "{line}");
    let words = format!("replay {} --episode 0 --by actions", lab.display());
    let line = refused(&format!("{words} --output {}", output.display()), 2);
    assert!(line.contains("not of insonate"), "{line}");
}
