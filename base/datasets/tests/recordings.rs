//! Contract: an episode is read as named columns, from insonate's own data sets and from others that a program wrote by the format's
//! description; what is damaged is refused by its place.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use insonate_datasets::{
    DatasetInfo, DatasetWriter, Demonstration, EpisodeKind, Format, SignalInfo, read_recording,
};
use parquet::data_type::{DoubleType, FloatType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::{Value, json};

/// Numbers that name their episode, row and column.
fn number(episode: usize, row: usize, column: usize) -> f32 {
    (100 * episode + 10 * row + column) as f32
}

/// The rows of an episode in which numbers start with a column.
fn numbers(episode: usize, n_rows: usize, columns: std::ops::Range<usize>) -> Vec<f64> {
    let rows = (0..n_rows).flat_map(|row| columns.clone().map(move |column| (row, column)));
    rows.map(|(row, column)| f64::from(number(episode, row, column)))
        .collect()
}

#[test]
fn an_own_episode_is_its_columns() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let names = |what: &str, n: usize| {
        (0..n)
            .map(|i| format!("{what}{i}"))
            .collect::<Vec<String>>()
    };
    let info = DatasetInfo {
        task: "probe-press".to_owned(),
        description: "Press.".to_owned(),
        control_timestep: 0.02,
        observation_names: names("o", 2),
        action_names: names("a", 3),
        signals: vec![SignalInfo {
            name: "probe_wrench".to_owned(),
            entries: names("w", 6),
        }],
        ..DatasetInfo::default()
    };
    let rows = |episode: usize, n: usize, width: usize| -> Vec<f32> {
        let all = (0..n).flat_map(|row| (0..width).map(move |column| (row, column)));
        all.map(|(row, column)| number(episode, row, column))
            .collect()
    };
    for (name, format, [state, actions, wrench]) in [
        (
            "set",
            Format::LeRobot,
            ["observation.state", "action", "observation.probe_wrench"],
        ),
        (
            "set.hdf5",
            Format::Robomimic,
            ["obs/state", "actions", "obs/probe_wrench"],
        ),
    ] {
        let path = scratch.path().join(name);
        let mut writer = DatasetWriter::create(&path, format, info.clone()).expect("it succeeds");
        for episode in 0..3 {
            let n = 3 + episode;
            let demonstration = Demonstration {
                seed: 40 + episode as u64,
                kind: EpisodeKind::ALL[episode].1,
                observations: rows(episode, n + 1, 2),
                actions: rows(episode, n, 3),
                rewards: vec![0.0; n],
                signals: vec![rows(episode, n + 1, 6)],
                ..Demonstration::default()
            };
            writer.push(&demonstration).expect("it succeeds");
        }
        writer.finish().expect("it succeeds");
        for episode in 0..3 {
            let found = read_recording(&path, episode).expect("it is there");
            let own = found.own.as_ref().expect("insonate wrote it");
            assert_eq!(
                (own.seed, own.kind),
                (40 + episode as u64, EpisodeKind::ALL[episode].1)
            );
            assert_eq!(own.info, info);
            assert_eq!(found.n_rows, 3 + episode);
            let times = found.time.as_ref().expect("the rate is known");
            assert!((times[2] - 0.04).abs() < 1e-6, "{times:?}");
            for (name, width, first) in [(state, 2, "o0"), (actions, 3, "a0"), (wrench, 6, "w0")] {
                let column = found.column(name).expect("it is there");
                assert_eq!(
                    column.values,
                    numbers(episode, 3 + episode, 0..width),
                    "{name}"
                );
                assert_eq!(column.entries[0], first);
            }
        }
        let error = read_recording(&path, 3)
            .expect_err("the data set lacks it")
            .to_string();
        assert!(
            error.contains("has 3 episodes, counted from 0: there is no episode 3"),
            "{error}"
        );
    }
}

/// A folder as a lab's recorder writes it: version 2.1, lists of numbers, no metadata of insonate.
struct Lab {
    folder: tempfile::TempDir,
    info: Value,
}

impl Lab {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let vector =
            |n: usize, names: Value| json!({ "dtype": "float32", "shape": [n], "names": names });
        let scalar = |dtype: &str| json!({ "dtype": dtype, "shape": [1], "names": null });
        let info = json!({
            "codebase_version": "v2.1", "robot_type": "ur5", "total_episodes": 2, "fps": 50, "chunks_size": 1000,
            "features": {
                "action": vector(6, json!({ "axes": ["x", "y", "z", "roll", "pitch", "yaw"] })),
                "observation.meta.force_torque": vector(6, Value::Null),
                "observation.images.ultrasound": { "dtype": "video", "shape": [480, 480, 3], "names": null },
                "instruction.text": scalar("string"),
                "timestamp": scalar("float32"),
                "episode_index": scalar("int64"),
            },
        });
        let lab = Self { folder, info };
        for episode in 0..2 {
            lab.write_rows(episode, episode, &[0.0, 0.02, 0.05, 0.06], [6, 6]);
        }
        lab.write_info();
        lab
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write_info(&self) {
        let meta = self.path().join("meta");
        fs::create_dir_all(&meta).expect("it succeeds");
        fs::write(meta.join("info.json"), self.info.to_string()).expect("it succeeds");
    }

    fn file(&self, episode: usize) -> PathBuf {
        self.path()
            .join(format!("data/chunk-000/episode_{episode:06}.parquet"))
    }

    /// Writes rows with the numbers of an episode; the widths are those of action and force.
    fn write_rows(&self, file: usize, episode: usize, times: &[f64], widths: [usize; 2]) {
        let path = self.file(file);
        fs::create_dir_all(path.parent().expect("it has one")).expect("it succeeds");
        let list = |name: &str| {
            format!(
                "optional group {name} (LIST) {{ repeated group list {{ optional float element; }} }}"
            )
        };
        let schema = format!(
            "message schema {{ {} {} optional double timestamp; optional int64 episode_index; }}",
            list("action"),
            list("observation.meta.force_torque")
        );
        let schema = parse_message_type(&schema).expect("it succeeds");
        let out = File::create(path).expect("it succeeds");
        let properties = Arc::new(WriterProperties::builder().build());
        let mut writer =
            SerializedFileWriter::new(out, Arc::new(schema), properties).expect("it succeeds");
        let mut group = writer.next_row_group().expect("it succeeds");
        let n = times.len();
        for width in widths {
            let values: Vec<f32> = numbers(episode, n, 0..width)
                .iter()
                .map(|&value| value as f32)
                .collect();
            let repetition: Vec<i16> = (0..n * width).map(|i| i16::from(i % width != 0)).collect();
            let mut column = group.next_column().expect("it succeeds").expect("one more");
            column
                .typed::<FloatType>()
                .write_batch(&values, Some(&vec![3; n * width]), Some(&repetition))
                .expect("it succeeds");
            column.close().expect("it succeeds");
        }
        let mut column = group.next_column().expect("it succeeds").expect("one more");
        column
            .typed::<DoubleType>()
            .write_batch(times, Some(&vec![1; n]), None)
            .expect("it succeeds");
        column.close().expect("it succeeds");
        let mut column = group.next_column().expect("it succeeds").expect("one more");
        column
            .typed::<Int64Type>()
            .write_batch(&vec![episode as i64; n], Some(&vec![1; n]), None)
            .expect("it succeeds");
        column.close().expect("it succeeds");
        group.close().expect("it succeeds");
        writer.close().expect("it succeeds");
    }

    fn refused(&self, episode: usize) -> String {
        let error = read_recording(self.path(), episode).expect_err("it is damaged");
        error.to_string()
    }
}

#[test]
fn a_labs_episode_is_read_by_the_names_of_its_features() {
    let lab = Lab::new();
    let modality = json!({
        "state": { "torque": { "start": 3, "end": 6, "original_key": "observation.meta.force_torque" } },
        "action": { "position": { "start": 0, "end": 3 } },
    });
    let path = lab.path().join("meta/modality.json");
    fs::write(&path, modality.to_string()).expect("it succeeds");
    let found = read_recording(lab.path(), 1).expect("it is valid");
    assert_eq!((found.own.is_none(), found.n_rows), (true, 4));
    assert_eq!(found.time, Some(vec![0.0, 0.02, 0.05, 0.06]));
    let names: Vec<&str> = found.columns.iter().map(|it| it.name.as_str()).collect();
    let expected = [
        "action",
        "observation.meta.force_torque",
        "state.torque",
        "action.position",
    ];
    assert_eq!(names, expected);
    let action = found.column("action").expect("it is there");
    assert_eq!(action.entries[5], "yaw");
    assert_eq!(action.values, numbers(1, 4, 0..6));
    let torque = found.column("state.torque").expect("it is there");
    assert_eq!(torque.values, numbers(1, 4, 3..6));
    let position = found.column("action.position").expect("it is there");
    assert_eq!(position.entries, ["x", "y", "z"]);
}

#[test]
fn damaged_recordings_are_refused_by_their_place() {
    let mut lab = Lab::new();
    assert!(lab.refused(2).contains("there is no episode 2"));
    lab.write_rows(1, 1, &[0.0, 0.02, 0.02], [6, 6]);
    assert!(
        lab.refused(1)
            .contains("the times 0.02 s and 0.02 s in rows 1 and 2")
    );
    lab.write_rows(1, 1, &[0.0, f64::NAN], [6, 6]);
    assert!(lab.refused(1).contains("they must increase"));
    lab.write_rows(1, 1, &[0.0, 0.02], [6, 5]);
    let said = lab.refused(1);
    assert!(
        said.contains("5 numbers in each row of observation.meta.force_torque, 6 expected"),
        "{said}"
    );
    // The rows of another episode are no rows of this one.
    lab.write_rows(1, 0, &[0.0, 0.02], [6, 6]);
    assert!(lab.refused(1).contains("has no row in episode 1"));
    let bytes = fs::read(lab.file(0)).expect("it succeeds");
    for n in (0..bytes.len()).step_by(7) {
        fs::write(lab.file(0), &bytes[..n]).expect("it succeeds");
        assert!(lab.refused(0).contains("episode_000000.parquet"));
    }
    fs::write(lab.file(0), bytes).expect("it succeeds");
    let path = lab.path().join("meta/modality.json");
    let modality = json!({ "action": { "position": { "start": 4, "end": 7 } } });
    fs::write(&path, modality.to_string()).expect("it succeeds");
    let said = lab.refused(0);
    assert!(
        said.contains("action.position without a range start < end within the 6 of action"),
        "{said}"
    );
    fs::remove_file(path).expect("it succeeds");
    lab.info["features"]["action"]["shape"] = json!([u64::MAX, 2]);
    lab.write_info();
    assert!(lab.refused(0).contains("has action of no shape"));
    lab.info["codebase_version"] = json!("v1.6");
    lab.write_info();
    assert!(
        lab.refused(0)
            .contains("is of v1.6; v2.1 and v3.0 are read")
    );
}
