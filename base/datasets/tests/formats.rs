//! Contract: data sets in either format read back unchanged; damaged files are refused by name, without a panic.

use std::fs;
use std::path::Path;

use insonate_datasets::{
    CameraInfo, Dataset, DatasetError, DatasetInfo, DatasetWriter, Demonstration, EpisodeKind,
    Format, ReadOptions, SignalInfo, read,
};
use proptest::prelude::*;

/// Formats that are read, too.
const READ: [(&str, Format); 2] = [
    ("lerobot", Format::LeRobot),
    ("robomimic", Format::Robomimic),
];

const ALL: ReadOptions = ReadOptions { frames: true };

/// A data set of synthetic numbers: three episodes of 3, 4 and 5 steps.
fn example(n_obs: usize, n_actions: usize, cameras: &[(&str, u32, u32)]) -> Dataset {
    let names = |what: &str, n: usize| (0..n).map(|i| format!("{what}_{i} [m]")).collect();
    let info = DatasetInfo {
        task: "probe-sweep".to_owned(),
        description: "Slide the probe.".to_owned(),
        settings: "force = 5.0\n".to_owned(),
        expert: "scripted".to_owned(),
        insonate_version: "0.1.0".to_owned(),
        control_timestep: 0.02,
        observation_names: names("position", n_obs),
        action_names: names("step", n_actions),
        cameras: cameras
            .iter()
            .map(|&(name, width, height)| CameraInfo {
                name: name.to_owned(),
                width,
                height,
            })
            .collect(),
        signals: [("wrench", 6), ("depth", 1)]
            .map(|(name, n)| SignalInfo {
                name: name.to_owned(),
                entries: names(name, n),
            })
            .to_vec(),
        rig: None,
        image_latency: 0.04,
        dropped_frames: 0.125,
        action_noise: 0.5,
    };
    let demonstrations = (0..3)
        .map(|episode| demonstration(&info, episode))
        .collect();
    Dataset {
        info,
        demonstrations,
    }
}

fn demonstration(info: &DatasetInfo, episode: usize) -> Demonstration {
    let n = 3 + episode;
    let floats = |count: usize| (0..count).map(|i| (i + episode) as f32 * 0.25 - 1.0);
    Demonstration {
        seed: 7 + episode as u64,
        kind: EpisodeKind::ALL[episode].1,
        instruction: ["", "Please slide.", ""][episode].to_owned(),
        observations: floats((n + 1) * info.observation_names.len()).collect(),
        actions: floats(n * info.action_names.len()).collect(),
        rewards: floats(n).collect(),
        is_terminated: episode == 1,
        is_success: Some(episode != 2),
        states: (0..n * 5).map(|i| i as f64 / 3.0).collect(),
        frames: info
            .cameras
            .iter()
            .map(|camera| {
                let bytes = (n + 1) * camera.frame_len();
                (0..bytes).map(|i| (i * 7 + episode) as u8).collect()
            })
            .collect(),
        signals: info
            .signals
            .iter()
            .map(|signal| floats((n + 1) * signal.entries.len()).collect())
            .collect(),
    }
}

fn write(path: &Path, format: Format, dataset: &Dataset) -> Result<(), DatasetError> {
    let mut writer = DatasetWriter::create(path, format, dataset.info.clone())?;
    for demonstration in &dataset.demonstrations {
        writer.push(demonstration)?;
    }
    writer.finish()
}

/// The part of a data set that LeRobot's format stores.
fn without_last_rows(mut dataset: Dataset) -> Dataset {
    let n_obs = dataset.info.observation_names.len();
    for demonstration in &mut dataset.demonstrations {
        let n = demonstration.len();
        demonstration.observations.truncate(n * n_obs);
        demonstration.states.clear();
        for (camera, frames) in dataset.info.cameras.iter().zip(&mut demonstration.frames) {
            frames.truncate(n * camera.frame_len());
        }
        for (signal, values) in dataset.info.signals.iter().zip(&mut demonstration.signals) {
            values.truncate(n * signal.entries.len());
        }
    }
    dataset
}

const CAMERAS: [(&str, u32, u32); 2] = [("close", 8, 6), ("probe/camera", 5, 4)];

#[test]
fn robomimic_reads_back_bit_by_bit() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = folder.path().join("demonstrations.hdf5");
    for dataset in [example(4, 2, &CAMERAS), example(1, 1, &[])] {
        write(&path, Format::Robomimic, &dataset).expect("it succeeds");
        assert_eq!(read(&path, ALL).expect("it succeeds"), dataset);
    }
}

#[test]
fn a_robomimic_file_grows_by_a_demonstration_at_a_time() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = folder.path().join("demonstrations.hdf5");
    let partial = folder.path().join(".demonstrations.hdf5.partial");
    let example = example(2, 1, &CAMERAS[..1]);
    let create = || DatasetWriter::create(&path, Format::Robomimic, example.info.clone());
    let mut writer = create().expect("it succeeds");
    let mut expected = Vec::new();
    let mut sizes = Vec::new();
    // More than the groups that HDF5's own library would keep in a header.
    for index in 0..40 {
        let mut demonstration = example.demonstrations[index % 3].clone();
        demonstration.seed = index as u64;
        demonstration.kind = EpisodeKind::Ordinary;
        writer.push(&demonstration).expect("it succeeds");
        expected.push(demonstration);
        sizes.push(fs::metadata(&partial).expect("it grows").len());
    }
    assert!(sizes.is_sorted() && sizes[39] > 10 * sizes[0], "{sizes:?}");
    let message = create().expect_err("it is being written").to_string();
    assert!(
        message.ends_with("is being written by another command"),
        "{message}"
    );
    assert!(!path.exists());
    writer.finish().expect("it succeeds");
    assert!(!partial.exists());
    assert_eq!(
        read(&path, ALL).expect("it succeeds").demonstrations,
        expected
    );
    // An interrupted one leaves the former file, and nothing else.
    let mut writer = create().expect("it succeeds");
    writer.push(&expected[0]).expect("it succeeds");
    drop(writer);
    assert_eq!(fs::read_dir(folder.path()).expect("it succeeds").count(), 1);
    assert_eq!(
        read(&path, ALL).expect("it succeeds").demonstrations.len(),
        40
    );
}

#[test]
fn robomimic_describes_its_environment() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = folder.path().join("demonstrations.hdf5");
    let mut dataset = example(1, 1, &[]);
    "force = 5.0\n[scene]\nrobot = \"ur5e\"\n".clone_into(&mut dataset.info.settings);
    write(&path, Format::Robomimic, &dataset).expect("it succeeds");
    let file = hdf5_pure::File::open_streaming(&path).expect("it succeeds");
    let data = file.group("data").expect("it succeeds");
    let attributes = data.attrs().expect("it succeeds");
    let text = attributes["env_args"].as_str().expect("it is text");
    let found: serde_json::Value = serde_json::from_str(text).expect("it is JSON");
    let wanted = serde_json::json!({
        "env_name": "insonate:insonate/ProbeSweep-v0",
        "env_version": "0.1.0",
        "type": 2,
        "env_kwargs": { "env.force": 5.0, "env.scene": { "robot": "ur5e" } },
    });
    assert_eq!(found, wanted);
    "force = ".clone_into(&mut dataset.info.settings);
    let error = write(&path, Format::Robomimic, &dataset).expect_err("it is no TOML");
    assert!(error.to_string().contains("settings"), "{error}");
}

#[test]
fn lerobot_reads_back_all_that_it_stores() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = folder.path().join("set");
    // The second one replaces the first one.
    for dataset in [example(4, 2, &CAMERAS), example(1, 1, &[])] {
        write(&path, Format::LeRobot, &dataset).expect("it succeeds");
        assert_eq!(
            read(&path, ALL).expect("it succeeds"),
            without_last_rows(dataset)
        );
    }
}

#[test]
fn pictures_are_read_only_on_request() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    for (name, format) in READ {
        let path = folder.path().join(name);
        write(&path, format, &example(4, 2, &CAMERAS)).expect("it succeeds");
        let dataset = read(&path, ReadOptions::default()).expect("it succeeds");
        let mut frames = dataset.demonstrations.iter().map(|it| it.frames.len());
        assert!(frames.all(|n_cameras| n_cameras == 0));
        assert_eq!(dataset.info.cameras.len(), 2);
    }
}

#[test]
fn lerobot_has_the_metadata_of_its_loader() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    write(
        folder.path(),
        Format::LeRobot,
        &example(4, 1, &CAMERAS[..1]),
    )
    .expect("it succeeds");
    let json = |file: &str| -> serde_json::Value {
        serde_json::from_slice(&fs::read(folder.path().join(file)).expect("it succeeds"))
            .expect("it succeeds")
    };
    let info = json("meta/info.json");
    assert_eq!(info["codebase_version"], "v3.0");
    assert_eq!(
        (&info["fps"], &info["total_frames"]),
        (&50.into(), &12.into())
    );
    assert_eq!(
        info["features"]["observation.images.close"]["shape"],
        serde_json::json!([6, 8, 3])
    );
    assert_eq!(info["features"]["action"]["shape"], serde_json::json!([1]));
    // One episode of each kind; two have the same words.
    let splits = serde_json::json!({ "train": "0:1", "recovery": "1:2", "failure": "2:3" });
    assert_eq!(
        (&info["splits"], &info["total_tasks"]),
        (&splits, &2.into())
    );
    let wrench = serde_json::json!({ "dtype": "float32", "shape": [6], "names": (0..6).map(|i| format!("wrench_{i} [m]")).collect::<Vec<_>>() });
    assert_eq!(info["features"]["observation.wrench"], wrench);
    let stats = json("meta/stats.json");
    // Depths before the steps of the three episodes: 3, 4 and 5 from -1, -0.75, -0.5 on.
    assert_eq!(stats["observation.depth"]["max"], serde_json::json!([0.5]));
    // Rewards of the three episodes: -1, -0.75, …; 12 of them from -1 to 0.5.
    assert_eq!(stats["next.reward"]["min"], serde_json::json!([-1.0]));
    assert_eq!(stats["next.reward"]["max"], serde_json::json!([0.5]));
    assert_eq!(
        stats["observation.images.close"]["mean"]
            .as_array()
            .expect("it succeeds")
            .len(),
        3
    );
    for file in ["tasks.parquet", "episodes/chunk-000/file-000.parquet"] {
        assert!(folder.path().join("meta").join(file).is_file());
    }
}

#[test]
fn a_demonstration_of_another_shape_is_refused() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let dataset = example(4, 2, &[]);
    let mut short = dataset.demonstrations[0].clone();
    short.actions.pop();
    let path = folder.path().join("set");
    let mut writer =
        DatasetWriter::create(&path, Format::LeRobot, dataset.info).expect("it succeeds");
    writer
        .push(&dataset.demonstrations[1])
        .expect("it succeeds");
    let message = writer.push(&short).unwrap_err().to_string();
    assert_eq!(message, "demonstration 1: has 5 actions, 6 expected");
    let message = writer.push(&dataset.demonstrations[0]).unwrap_err();
    assert_eq!(
        message.to_string(),
        "demonstration 1: is of the kind ordinary, which comes before recovery"
    );
}

#[test]
fn robomimic_names_the_kinds_of_demonstrations() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = folder.path().join("demonstrations.hdf5");
    write(&path, Format::Robomimic, &example(1, 1, &[])).expect("it succeeds");
    let file = hdf5_pure::File::open_streaming(&path).expect("it succeeds");
    for (mask, name) in [
        ("train", "demo_0"),
        ("recovery", "demo_1"),
        ("failure", "demo_2"),
    ] {
        let names = file
            .dataset(&format!("mask/{mask}"))
            .expect("it has a mask")
            .read_string()
            .expect("it is text");
        assert_eq!(names, [name]);
    }
    assert!(file.dataset("mask/valid").is_err());
}

#[test]
fn a_folder_with_other_things_is_not_touched() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    fs::create_dir(folder.path().join("data")).expect("it succeeds");
    fs::write(folder.path().join("thesis.tex"), "years of work").expect("it succeeds");
    let message = write(folder.path(), Format::LeRobot, &example(4, 2, &[])).unwrap_err();
    assert!(message.to_string().contains("which is no data set"));
    assert!(folder.path().join("data").is_dir());
}

#[test]
fn an_earlier_data_set_stays_until_the_new_one_is_whole() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = folder.path().join("set");
    let (old, new) = (example(4, 2, &[]), example(1, 1, &[]));
    write(&path, Format::LeRobot, &old).expect("it succeeds");
    let begun = || {
        let mut writer =
            DatasetWriter::create(&path, Format::LeRobot, new.info.clone()).expect("it succeeds");
        writer.push(&new.demonstrations[0]).expect("it succeeds");
        writer
    };
    drop(begun());
    // As if the process were killed: no clean-up runs, and only the lock ends with the process.
    let killed = begun();
    let copy = folder.path().join("killed");
    copy_folder(&path, &copy);
    drop(killed);
    for path in [&path, &copy] {
        assert_eq!(
            read(path, ALL).expect("it succeeds"),
            without_last_rows(old.clone())
        );
        write(path, Format::LeRobot, &new).expect("it succeeds");
        assert_eq!(
            read(path, ALL).expect("it succeeds"),
            without_last_rows(new.clone())
        );
        let entries = fs::read_dir(path).expect("it succeeds");
        let mut names: Vec<_> = entries
            .map(|entry| entry.expect("it succeeds").file_name())
            .collect();
        names.sort();
        // The hidden file lists the written files.
        assert_eq!(names, [".insonate.files", "data", "meta"]);
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).expect("it succeeds");
    for entry in fs::read_dir(from).expect("it succeeds") {
        let entry = entry.expect("it succeeds");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("it succeeds");
        }
    }
}

#[test]
fn an_aborted_recording_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = folder.path().join("set");
    let info = example(1, 1, &[]).info;
    drop(DatasetWriter::create(&path, Format::LeRobot, info.clone()).expect("it succeeds"));
    assert!(!path.exists());
    // Half a data set, which other programs may leave, is refused with advice.
    fs::create_dir_all(path.join("data")).expect("it succeeds");
    let message = DatasetWriter::create(&path, Format::LeRobot, info).unwrap_err();
    let message = message.to_string();
    assert!(
        message.ends_with("remove data, or choose a new folder"),
        "{message}"
    );
}

#[test]
fn invalid_data_sets_are_refused_by_name() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let problem = |path: &Path| read(path, ALL).unwrap_err().to_string();
    assert!(problem(&folder.path().join("none.hdf5")).starts_with("cannot read "));
    assert!(problem(folder.path()).contains("has no meta/info.json"));
    let text = folder.path().join("text.hdf5");
    fs::write(&text, "time,force\n0,1\n").expect("it succeeds");
    assert!(problem(&text).contains("is not an HDF5 file"));
    let path = folder.path().join("set");
    write(&path, Format::LeRobot, &example(4, 2, &[])).expect("it succeeds");
    let info = path.join("meta/info.json");
    let old = fs::read_to_string(&info)
        .expect("it succeeds")
        .replace("v3.0", "v2.1");
    fs::write(&info, old).expect("it succeeds");
    assert!(problem(&path).contains("is of v2.1; v3.0 is read"));
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let mut dataset = example(4, 2, &[]);
    dataset.demonstrations[2].actions[3] = f32::NAN;
    for (name, format) in READ {
        let path = folder.path().join(name);
        write(&path, format, &dataset).expect("it succeeds");
        let message = read(&path, ALL).unwrap_err().to_string();
        assert!(
            message.ends_with("has an action of NaN in demonstration 2"),
            "{message}"
        );
    }
}

/// Changes bytes of a file, truncates it, and reads it: an error or a data set, never a panic.
fn survives(path: &Path, read_from: &Path, good: &[u8], changes: &[(usize, u8)], length: usize) {
    let mut bytes = good[..length % (good.len() + 1)].to_vec();
    let n = bytes.len().max(1);
    for (at, value) in changes {
        if let Some(byte) = bytes.get_mut(at % n) {
            *byte = *value;
        }
    }
    fs::write(path, bytes).expect("it succeeds");
    let _ = read(read_from, ALL);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_end_in_errors(
        changes in proptest::collection::vec((any::<usize>(), any::<u8>()), 0..8),
        cut in prop_oneof![Just(usize::MAX), any::<usize>()],
    ) {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let dataset = example(4, 2, &CAMERAS[..1]);
        for (name, format) in READ {
            let path = folder.path().join(name);
            write(&path, format, &dataset).expect("it succeeds");
            let damaged = match format {
                Format::Robomimic => path.clone(),
                Format::LeRobot | Format::OpenH => path.join("data/chunk-000/file-000.parquet"),
            };
            let good = fs::read(&damaged).expect("it succeeds");
            let length = if cut == usize::MAX { good.len() } else { cut };
            survives(&damaged, &path, &good, &changes, length);
        }
    }
}
