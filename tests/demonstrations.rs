//! Contract: an expert is recorded, the data set is read back, and a policy is trained on it; PPO starts from the imitating policy.

mod command;

use command::{done, insonate, json, refused, stderr};

fn record(format: &str, path: &str) -> serde_json::Value {
    json(&format!(
        "demonstrate pendulum --expert scripted --episodes 3 --seed 5 --format {format} --output {path}"
    ))
}

#[test]
fn both_formats_teach_the_same() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let at = |name: &str| {
        scratch
            .path()
            .join(name)
            .to_str()
            .expect("it succeeds")
            .to_owned()
    };
    let mut learnt = Vec::new();
    for (format, name) in [("lerobot", "set"), ("robomimic", "set.hdf5")] {
        let recorded = record(format, &at(name));
        assert_eq!(recorded["episodes"], 3, "{recorded}");
        assert_eq!(recorded["steps"], 600, "{recorded}");
        let (data, output) = (at(name), at(&format!("learnt-{format}")));
        let imitated = json(&format!(
            "imitate pendulum --data {data} --output {output} --epochs 3"
        ));
        assert_eq!(imitated["steps"], 600);
        // The last of a few demonstrations is for validation.
        assert!(imitated["validation_loss"].is_f64(), "{imitated}");
        learnt.push(imitated["training_loss"].clone());
    }
    assert_eq!(learnt[0], learnt[1]);
}

#[test]
fn one_demonstration_is_learnt_without_validation() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let folder = scratch.path().to_str().expect("the path is text");
    let (data, output) = (format!("{folder}/one.hdf5"), format!("{folder}/learnt"));
    done(&format!(
        "demonstrate pendulum --expert scripted --episodes 1 --format robomimic --output {data}"
    ));
    let said = done(&format!(
        "imitate pendulum --data {data} --output {output} --epochs 2"
    ));
    assert!(
        said.contains("no validation with one demonstration"),
        "{said}"
    );
    let losses = std::fs::read_to_string(format!("{output}/losses.csv")).expect("was written");
    assert!(
        losses.lines().skip(1).all(|row| row.ends_with(',')),
        "{losses}"
    );
}

#[test]
fn ppo_starts_from_the_imitated_policy() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let at = |name: &str| {
        scratch
            .path()
            .join(name)
            .to_str()
            .expect("it succeeds")
            .to_owned()
    };
    record("robomimic", &at("set.hdf5"));
    let (data, imitated, trained) = (at("set.hdf5"), at("imitated"), at("trained"));
    done(&format!(
        "imitate pendulum --data {data} --output {imitated} --epochs 5"
    ));
    let evaluated = json(&format!("evaluate {imitated} --episodes 2 --seed 1000000"));
    json(&format!(
        "train pendulum --from-policy {imitated} --steps 1024 --evaluate-episodes 2 --no-tensorboard --output {trained}"
    ));
    // The first evaluation is of the initial policy. The warm-up trains only the critic and does not change the policy.
    let table = std::fs::read_to_string(scratch.path().join("trained/evaluations.csv"))
        .expect("it succeeds");
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let column = reader
        .headers()
        .expect("it succeeds")
        .iter()
        .position(|name| name == "return_mean")
        .expect("it succeeds");
    let returns: Vec<f64> = reader
        .records()
        .map(|row| {
            row.expect("it succeeds")[column]
                .parse()
                .expect("it succeeds")
        })
        .collect();
    assert_eq!(returns.len(), 2, "{table}");
    let expected = evaluated["return_mean"].as_f64().expect("it succeeds");
    assert!(
        (returns[0] - expected).abs() < 1e-9 * expected.abs(),
        "{returns:?} {expected}"
    );
}

#[test]
fn a_data_set_that_fails_its_verdict_is_complete_and_recorded() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let folder = scratch.path().join("set");
    // Less than the force that the task holds.
    let output = insonate(&format!(
        "demonstrate probe-press --episodes 1 --set task.max_force=3 --output {}",
        folder.display()
    ));
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("the data set was written"), "{text}");
    assert!(folder.join("meta/info.json").exists());
    let record = std::fs::read_to_string(folder.join("run.toml")).expect("it succeeds");
    assert!(record.contains("task.max_force=3"), "{record}");
}

/// Force times torque does not depend on the frame or the point of a wrench.
#[test]
fn wrenches_and_ultrasound_are_recorded() {
    const SIDE: usize = 48;
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let path = scratch.path().join("set.hdf5");
    // The episode is too short for the task's verdict.
    let output = insonate(&format!(
        "demonstrate probe-press --episodes 1 --set env.scene.shape=adult --set env.time.limit=0.7 --b-mode \
         --size {SIDE} --lines 24 --samples 96 --imaging-depth 0.06 --format robomimic --output {}",
        path.display()
    ));
    assert!(stderr(&output).contains("the data set was written"));
    let all = insonate::datasets::ReadOptions { frames: true };
    let mut dataset = insonate::datasets::read(&path, all).expect("it succeeds");
    let (info, recorded) = (dataset.info, dataset.demonstrations.remove(0));
    let names: Vec<&str> = info
        .signals
        .iter()
        .map(|signal| signal.name.as_str())
        .collect();
    let expected = [
        "probe_wrench",
        "flange_wrench",
        "probe_pose",
        "joint_position",
    ];
    assert_eq!(names, expected);
    let (n, n_joints) = (recorded.len(), info.signals[3].entries.len());
    let rows = |index: usize, width: usize| recorded.signals[index].chunks_exact(width);
    let dot = |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let mut strongest: f32 = 0.0;
    for (at_probe, at_flange) in rows(0, 6).zip(rows(1, 6)) {
        let [probe, flange] = [at_probe, at_flange].map(|wrench| {
            let (force, torque) = wrench.split_at(3);
            [dot(force, force).sqrt(), dot(force, torque)]
        });
        assert!(
            (probe[0] - flange[0]).abs() < 1e-3,
            "{at_probe:?} {at_flange:?}"
        );
        assert!(
            (probe[1] - flange[1]).abs() < 2e-3,
            "{at_probe:?} {at_flange:?}"
        );
        strongest = strongest.max(at_probe[2]);
    }
    // The probe is pressed along its axis.
    assert!(strongest > 1.0, "{strongest}");
    // MuJoCo's states begin with the time and the robot's joints.
    let width = recorded.states.len() / n;
    for (joints, state) in rows(3, n_joints).zip(recorded.states.chunks_exact(width)) {
        let near = |(joint, position): (&f32, &f64)| (f64::from(*joint) - position).abs() < 1e-6;
        assert!(
            joints.iter().zip(&state[1..]).all(near),
            "{joints:?} {state:?}"
        );
    }
    assert_eq!(
        (info.cameras[0].name.as_str(), info.cameras.len()),
        ("ultrasound", 1)
    );
    // Pixels that differ from the first frame: none but by noise before the contact, many under pressure.
    let frames: Vec<&[u8]> = recorded.frames[0].chunks_exact(3 * SIDE * SIDE).collect();
    let changed = |frame: &[u8]| {
        let pairs = frame.iter().zip(frames[0]);
        pairs
            .filter(|(now, first)| now.abs_diff(**first) > 40)
            .count()
            / 3
    };
    assert_eq!(frames.len(), n + 1);
    assert!(changed(frames[1]) == 0 && changed(frames[n]) > SIDE);
    let pixels = recorded.frames[0].chunks_exact(3);
    assert!(
        pixels
            .clone()
            .all(|pixel| pixel[0] == pixel[1] && pixel[1] == pixel[2])
    );
}

/// In place of ffmpeg: a program that writes the frames as they are.
#[cfg(unix)]
const NO_ENCODER: &str =
    "#!/bin/sh\nfor file; do :; done\n[ \"$file\" = - ] && exec cat\ncat > \"$file\"\n";

/// The files of Open-H's rules, which python/tests/test_open_h.py checks in full with a real encoder.
#[cfg(unix)]
#[test]
fn open_h_has_its_files_and_a_video_of_each_episode() {
    use std::os::unix::fs::PermissionsExt as _;
    const SIDE: usize = 32;
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let programs = scratch.path().join("programs");
    std::fs::create_dir(&programs).expect("it succeeds");
    let set = scratch.path().join("set");
    let record = || {
        let words = format!(
            "demonstrate probe-press --episodes 1 --set env.scene.shape=adult --set env.time.limit=0.3 --b-mode --size {SIDE} \
             --lines 16 --samples 64 --format open-h --output {}",
            set.display()
        );
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_insonate"));
        let shell = "/bin:/usr/bin";
        let path = format!("{}:{shell}", programs.display());
        command.args(words.split_whitespace()).env("PATH", path);
        let output = command.output().expect("the binary starts");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let program = programs.join("ffmpeg");
    let without_encoder =
        "#!/bin/sh\n[ \"$1\" = -version ] && exit 0\necho 'Unknown encoder libx264' >&2\nexit 1\n";
    std::fs::write(&program, without_encoder).expect("it succeeds");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&program, executable).expect("it succeeds");
    let said = record();
    assert!(
        said.contains("needs a program ffmpeg with the encoder libx264")
            && said.contains("Unknown encoder"),
        "{said}"
    );
    // Before anything is simulated.
    assert!(!set.exists());

    std::fs::write(&program, NO_ENCODER).expect("it succeeds");
    let said = record();
    assert!(said.contains("the data set was written"), "{said}");
    let read = |file: &str| std::fs::read(set.join(file)).expect("the file is there");
    let json = |file: &str| -> serde_json::Value {
        serde_json::from_slice(&read(file)).expect("it is JSON")
    };
    let info = json("meta/info.json");
    let n = info["total_frames"].as_u64().expect("a number") as usize;
    assert_eq!(
        (&info["codebase_version"], &info["fps"]),
        (&"v2.1".into(), &50.into())
    );
    assert_eq!(info["splits"], serde_json::json!({ "train": "0:1" }));
    assert_eq!(
        info["features"]["observation.images.ultrasound"]["dtype"],
        "video"
    );
    let episode = json("meta/episodes.jsonl");
    assert_eq!(
        (&episode["episode_index"], &episode["length"]),
        (&0.into(), &n.into())
    );
    assert_eq!(episode["tasks"][0], json("meta/tasks.jsonl")["task"]);
    let stats = &json("meta/episodes_stats.jsonl")["stats"];
    assert_eq!(stats["action"]["count"][0], n);
    assert_eq!(
        stats["observation.images.ultrasound"]["mean"]
            .as_array()
            .map(Vec::len),
        Some(3)
    );
    let video = read("videos/chunk-000/observation.images.ultrasound/episode_000000.mp4");
    assert_eq!(video.len(), n * SIDE * SIDE * 3);
    assert!(read("data/chunk-000/episode_000000.parquet").starts_with(b"PAR1"));
    let readme = String::from_utf8(read("meta/README.md"))
        .expect("it is text")
        .to_lowercase();
    for word in [
        "synchronization",
        "dataset description",
        "collection procedure",
        "robot",
        "sensor",
    ] {
        assert!(readme.contains(word), "{readme}");
    }
    // The only episode is too short to succeed.
    assert!(
        readme.contains("indices of the episodes that failed their task: 0.\n"),
        "{readme}"
    );
    let line = refused(
        &format!(
            "demonstrate pendulum --format open-h --output {}-x",
            set.display()
        ),
        1,
    );
    assert!(line.contains("describes an arm with a probe"), "{line}");
}

/// Three kinds of episodes; the disturbed actions of the expert fail now and then. What is recorded does not depend on the defects.
#[test]
fn recoveries_and_failures_are_splits_after_the_others() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let path = |name: &str| scratch.path().join(name);
    let record = |name: &str, options: &str| {
        let output = path(name);
        let words = format!(
            "demonstrate cube-push --episodes 3 --action-noise 0.9 --keep-failures --recovery 2 --vary-instruction {options} --output {}",
            output.display()
        );
        let told = insonate(&format!("{words} --json"));
        // Failures are told by the status, also where they are wanted.
        assert_eq!(told.status.code(), Some(1), "{}", stderr(&told));
        let summary: serde_json::Value =
            serde_json::from_slice(&told.stdout).expect("the summary is JSON");
        let all = insonate::datasets::ReadOptions { frames: true };
        let read = insonate::datasets::read(&output, all).expect("it succeeds");
        (summary, read)
    };
    let (summary, set) = record("set", "");
    let n_failures = summary["failures"].as_u64().expect("a number") as usize;
    assert!(n_failures > 0 && summary["recoveries"] == 2, "{summary}");
    assert_eq!(summary["n_failed"], n_failures, "{summary}");
    let n = 5 + n_failures;
    assert_eq!(
        (summary["episodes"].as_u64(), set.demonstrations.len()),
        (Some(n as u64), n)
    );
    let kinds: Vec<&str> = set.demonstrations.iter().map(|it| it.kind.name()).collect();
    let expected = [
        ["ordinary"; 3].as_slice(),
        &["recovery"; 2],
        &vec!["failure"; n_failures],
    ];
    assert_eq!(kinds, expected.concat());
    for (kind, episode) in kinds.iter().zip(&set.demonstrations) {
        assert_eq!(episode.is_success, Some(*kind != "failure"));
    }
    let mut seeds: Vec<u64> = set.demonstrations.iter().map(|it| it.seed).collect();
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds.len(), n, "{seeds:?}");
    let info = std::fs::read(path("set").join("meta/info.json")).expect("it succeeds");
    let info: serde_json::Value = serde_json::from_slice(&info).expect("it is JSON");
    let splits =
        serde_json::json!({ "train": "0:3", "recovery": "3:5", "failure": format!("5:{n}") });
    assert_eq!(info["splits"], splits);
    let mut texts: Vec<&str> = set
        .demonstrations
        .iter()
        .map(|it| it.instruction(&set.info))
        .collect();
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(info["total_tasks"], texts.len());
    assert!(texts.len() > 1, "{texts:?}");
    // Failures are no examples.
    let imitated = json(&format!(
        "imitate cube-push --data {} --output {} --epochs 1",
        path("set").display(),
        path("learnt").display()
    ));
    assert_eq!(imitated["demonstrations"], 5, "{imitated}");
    let line = refused(
        "demonstrate pendulum --expert keyboard --recovery 2 --output nowhere",
        2,
    );
    assert!(
        line.contains("--recovery needs an expert that repeats"),
        "{line}"
    );
}

/// Each recovery here ends before its disturbance; the other episodes stay.
#[test]
fn what_fails_is_told_and_the_rest_is_kept() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let folder = scratch.path().join("set");
    let output = insonate(&format!(
        "demonstrate probe-reach --episodes 1 --recovery 1 --set env.time.limit=0.2 --json --output {}",
        folder.display()
    ));
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("only 0 of 1 recoveries were recorded in 20 attempts")
            && text.contains("the data set was written"),
        "{text}"
    );
    let summary: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("the summary is JSON");
    let missing = serde_json::json!([{ "kind": "recovery", "wanted": 1, "kept": 0, "tried": 20 }]);
    assert_eq!(
        (&summary["episodes"], &summary["missing"]),
        (&1.into(), &missing)
    );
    let read = insonate::datasets::read(&folder, insonate::datasets::ReadOptions::default());
    assert_eq!(read.expect("it was written").demonstrations.len(), 1);
    let line = refused(
        "demonstrate pendulum --keep-failures --successes-only --output nowhere",
        2,
    );
    assert!(line.contains("cannot be used with"), "{line}");
    // Python has no parser that refuses it.
    let plan = insonate::demonstrations::RecordPlan {
        n_episodes: 1,
        keep_failures: true,
        successes_only: true,
        ..Default::default()
    };
    let refused = plan.check().expect_err("they contradict each other");
    assert!(refused.to_string().contains("contradicts successes-only"));
}

#[test]
fn pictures_lag_by_whole_steps() {
    const SIDE: usize = 32;
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let record = |name: &str, options: &str| {
        let path = scratch.path().join(name);
        let output = insonate(&format!(
            "demonstrate probe-press --episodes 1 --set env.scene.shape=adult --set env.time.limit=0.4 --b-mode --size {SIDE} \
             --lines 16 --samples 64 --format robomimic {options} --output {}",
            path.display()
        ));
        assert!(
            stderr(&output).contains("the data set was written"),
            "{}",
            stderr(&output)
        );
        let all = insonate::datasets::ReadOptions { frames: true };
        insonate::datasets::read(&path, all).expect("it succeeds")
    };
    let (prompt, late) = (
        record("prompt.hdf5", ""),
        record("late.hdf5", "--image-latency 0.05"),
    );
    // Two and a half steps of 0.02 s round up.
    assert_eq!(
        (prompt.info.image_latency, late.info.image_latency),
        (0.0, 0.06)
    );
    let (prompt, late) = (&prompt.demonstrations[0], &late.demonstrations[0]);
    assert_eq!(
        (&prompt.signals, &prompt.actions),
        (&late.signals, &late.actions)
    );
    let frame = 3 * SIDE * SIDE;
    let (first, rest) = late.frames[0].split_at(3 * frame);
    assert_eq!(rest, &prompt.frames[0][..rest.len()]);
    assert!(
        first
            .chunks_exact(frame)
            .all(|shown| shown == &prompt.frames[0][..frame])
    );
}

#[test]
fn defects_of_pictures_need_pictures() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let path = scratch.path().join("set");
    for option in ["--image-latency 0.05", "--dropped-frames 0.5"] {
        let command = format!(
            "demonstrate pendulum --expert random --episodes 1 {option} --output {}",
            path.display()
        );
        let line = refused(&command, 2);
        assert!(line.contains("no pictures are recorded"), "{line}");
        assert!(!path.exists());
    }
}

#[test]
fn data_sets_of_another_task_are_refused() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let path = scratch
        .path()
        .join("set")
        .to_str()
        .expect("it succeeds")
        .to_owned();
    record("lerobot", &path);
    let line = refused(
        &format!("imitate reacher --data {path} --output {path}-x"),
        2,
    );
    assert!(line.contains("is of pendulum, not of reacher"), "{line}");
    let line = refused(
        &format!("imitate pendulum --data {path}-none --output {path}-x"),
        1,
    );
    assert!(line.contains("cannot read"), "{line}");
    let line = refused(
        &format!("demonstrate pendulum --expert policy --output {path}"),
        2,
    );
    assert!(line.contains("--expert policy PATH"), "{line}");
    let line = refused(
        &format!("demonstrate pendulum --format robomimic --output {path}"),
        1,
    );
    assert!(line.contains("is a folder"), "{line}");
    let line = refused(
        &format!("demonstrate pendulum --cameras close --output {path}-y"),
        1,
    );
    assert!(line.contains("has no scene"), "{line}");
    let line = refused(
        &format!("demonstrate probe-press --cameras close,moon --output {path}-y"),
        2,
    );
    assert!(
        line.contains("\"moon\"") && line.contains("probe/camera"),
        "{line}"
    );
    let line = refused(
        &format!("demonstrate probe-press --b-mode --output {path}-y"),
        2,
    );
    assert!(line.contains("scene.shape=adult"), "{line}");
    assert!(!std::path::Path::new(&format!("{path}-y")).exists());
}

#[cfg(not(feature = "viewer"))]
#[test]
fn a_person_without_a_window_is_told_how_to_build_one() {
    for (person, feature) in [("keyboard", "viewer"), ("gamepad", "gamepad")] {
        let line = refused(
            &format!("demonstrate pendulum --expert {person} --output nowhere"),
            2,
        );
        let way = format!("--features {feature} -- demonstrate");
        assert!(line.contains(&way), "{line}");
    }
    assert!(!std::path::Path::new("nowhere").exists());
}
