//! Contract: a command records in `run.toml` how it filled its folder, and `insonate rerun` fills another folder with the same bits.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod command;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use command::{done, json, refused};

/// Files of a folder and its subfolders, without measured times.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.path().is_dir() {
            let inner = files(&entry.path()).into_iter();
            found.extend(inner.map(|(path, content)| (format!("{name}/{path}"), content)));
            continue;
        }
        let mut content = fs::read(entry.path()).unwrap();
        if entry
            .path()
            .extension()
            .is_some_and(|ending| ending == "json")
        {
            let mut summary: serde_json::Value = serde_json::from_slice(&content).unwrap();
            if let Some(summary) = summary.as_object_mut() {
                let is_timing = |key: &str| key == "steps_per_second" || key.ends_with("wall_s");
                summary.retain(|key, _| !is_timing(key));
            }
            content = summary.to_string().into_bytes();
        }
        found.insert(name, content);
    }
    found
}

fn run(folder: &Path) -> toml::Table {
    toml::from_str(&fs::read_to_string(folder.join("run.toml")).unwrap()).unwrap()
}

#[test]
fn a_rerun_gives_the_same_files() {
    for arguments in [
        "press --depth 0.004 --hold 0.1 --seed 3 --no-pictures",
        "rollout random --task pendulum --seed 5 --episodes 2 --no-pictures",
        "psm track --trajectory line --duration 0.2 --no-pictures",
        "image --phantom points --lines 33 --size 64",
    ] {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name);
        let text = |name: &str| at(name).to_str().unwrap().to_owned();
        done(&format!("{arguments} --output {}", text("first")));
        done(&format!(
            "rerun {} --output {}",
            text("first"),
            text("again")
        ));
        let first = files(&at("first"));
        assert!(first.len() > 3, "{arguments}: {:?}", first.keys());
        let again = files(&at("again"));
        assert_eq!(
            first.keys().collect::<Vec<_>>(),
            again.keys().collect::<Vec<_>>()
        );
        for (name, content) in &first {
            // A figure of `image` is how long its frame took.
            if name != "image.json" {
                assert!(again[name] == *content, "{arguments}: {name} differs");
            }
        }
    }
}

#[test]
fn a_record_has_version_arguments_and_defaults() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("rollout");
    let output = folder.to_str().unwrap();
    done(&format!(
        "rollout zero --task pendulum --seed 5 --no-pictures -o {output}"
    ));
    let record = run(&folder);
    assert_eq!(record["version"].as_str(), Some(env!("CARGO_PKG_VERSION")));
    assert_eq!(record["command"].as_str(), Some("rollout"));
    let words: Vec<&str> = record["arguments"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(toml::Value::as_str)
        .collect();
    let typed = ["zero", "--task", "pendulum", "--seed", "5", "--no-pictures"];
    assert_eq!(words, typed);
    let settings = &record["settings"];
    assert_eq!(settings["seed"].as_str(), Some("5"));
    assert_eq!(settings["frame-rate"].as_str(), Some("20"));
    assert_eq!(settings["no-pictures"].as_bool(), Some(true));
    // The record is insonate's own file: another command with --overwrite removes it.
    json(&format!(
        "press --depth 0.004 --hold 0 --no-pictures --overwrite --output {output}"
    ));
    assert_eq!(run(&folder)["command"].as_str(), Some("press"));
}

#[test]
fn a_resumed_training_keeps_its_first_record() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name);
    let text = |name: &str| at(name).to_str().unwrap().to_owned();
    let train = format!(
        "train pendulum --seed 2 --no-tensorboard --output {}",
        text("first")
    );
    done(&format!("{train} --steps 2048"));
    let record = run(&at("first"));
    done(&format!("{train} --steps 4096 --resume"));
    assert_eq!(run(&at("first")), record);
    // A refused training changes nothing.
    refused(&format!("{train} --steps 6000"), 1);
    assert_eq!(run(&at("first")), record);
    let rerun = format!("rerun {}", text("first"));
    let line = refused(&rerun, 1);
    assert!(line.contains("--overwrite"), "{line}");
    done(&format!("{rerun} --overwrite"));
    done(&format!("{rerun} --output {}", text("again")));
    let policy = |name: &str| fs::read(at(name).join("policy.safetensors")).unwrap();
    assert_eq!(policy("first"), policy("again"));
}

#[test]
fn a_folder_without_a_usable_record_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().to_str().unwrap();
    let line = refused(&format!("rerun {output}"), 1);
    assert!(line.contains("run.toml"), "{line}");
    for (record, status, reason) in [
        ("version = 1", 1, "format must be a whole number"),
        ("format = 2", 1, "format = 2 is unknown to this version"),
        ("format = 1\nversion = 1", 1, "version must be a text"),
        (
            "format = 1\nversion = \"0.1.0\"\ncommand = \"press\"\narguments = [\"--no-such\"]",
            2,
            "--no-such",
        ),
        (
            "format = 1\nversion = \"0.1.0\"\ncommand = \"rerun\"\narguments = [\"x\"]",
            2,
            "rerun",
        ),
    ] {
        fs::write(folder.path().join("run.toml"), record).unwrap();
        let line = refused(&format!("rerun {output}"), status);
        assert!(line.contains(reason), "{line}");
    }
}
