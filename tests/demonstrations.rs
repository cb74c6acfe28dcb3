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
    let scratch = tempfile::tempdir().expect("the test can go on");
    let at = |name: &str| {
        scratch
            .path()
            .join(name)
            .to_str()
            .expect("the test can go on")
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
    let scratch = tempfile::tempdir().expect("the test can go on");
    let folder = scratch.path().to_str().expect("the test can go on");
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
    let scratch = tempfile::tempdir().expect("the test can go on");
    let at = |name: &str| {
        scratch
            .path()
            .join(name)
            .to_str()
            .expect("the test can go on")
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
        .expect("the test can go on");
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let column = reader
        .headers()
        .expect("the test can go on")
        .iter()
        .position(|name| name == "return_mean")
        .expect("the test can go on");
    let returns: Vec<f64> = reader
        .records()
        .map(|row| {
            row.expect("the test can go on")[column]
                .parse()
                .expect("the test can go on")
        })
        .collect();
    assert_eq!(returns.len(), 2, "{table}");
    let expected = evaluated["return_mean"]
        .as_f64()
        .expect("the test can go on");
    assert!(
        (returns[0] - expected).abs() < 1e-9 * expected.abs(),
        "{returns:?} {expected}"
    );
}

#[test]
fn a_data_set_that_fails_its_verdict_is_complete_and_recorded() {
    let scratch = tempfile::tempdir().expect("the test can go on");
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
    let record = std::fs::read_to_string(folder.join("run.toml")).expect("the test can go on");
    assert!(record.contains("task.max_force=3"), "{record}");
}

#[test]
fn data_sets_of_another_task_are_refused() {
    let scratch = tempfile::tempdir().expect("the test can go on");
    let path = scratch
        .path()
        .join("set")
        .to_str()
        .expect("the test can go on")
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
