//! Contract: a training holds patients out by name, its last evaluation and `evaluate` have figures for each patient, and a policy remembers
//! on whom it was trained.

mod command;
mod made;

use command::{done, insonate, json, refused};
use insonate::models::patients::Sex;
use serde_json::Value;

/// A training of a second: two iterations of four environments.
const SMALL: &str = "--steps 128 --envs 2 --evaluate-episodes 2 --seed 1 --no-tensorboard --set time.limit=0.2 \
                     --set ppo.n_steps=32 --set ppo.n_minibatches=2 --set ppo.update_epochs=1";

/// Name, whether the policy was trained on it, and number of episodes.
fn told(all: &Value) -> Vec<(String, Option<bool>, u64)> {
    let patients = all["patients"].as_array().expect("there are patients");
    let one = |own: &Value| {
        let name = own["name"].as_str().expect("a name").to_owned();
        let episodes = own["episodes"].as_u64().expect("a number");
        (name, own["seen"].as_bool(), episodes)
    };
    patients.iter().map(one).collect()
}

fn expected(rows: &[(&str, Option<bool>, u64)]) -> Vec<(String, Option<bool>, u64)> {
    let rows = rows.iter();
    rows.map(|(name, seen, n)| ((*name).to_owned(), *seen, *n))
        .collect()
}

#[test]
fn patients_are_held_out_and_told_apart() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    for (name, sex) in [("adam", Sex::Male), ("zoe", Sex::Female)] {
        made::write_patient(sex, 0.006, &scratch.path().join(name));
    }
    let at = |name: &str| scratch.path().join(name).display().to_string();
    let [adam, zoe, sweep] = ["adam", "zoe", "sweep"].map(at);
    let train = format!("train probe-press {SMALL} --patients {adam} {zoe}");

    let summary = json(&format!("{train} --hold-out zoe --output {sweep}"));
    let all = [("adam", Some(true), 2), ("zoe", Some(false), 2)];
    assert_eq!(told(&summary), expected(&all));
    let success = &summary["patients"][1]["success_rate"];
    assert!(
        success
            .as_f64()
            .is_some_and(|rate| (0.0..=1.0).contains(&rate))
    );
    let written = std::fs::read_to_string(format!("{sweep}/config.toml")).expect("it is written");
    let config: toml::Table = written.parse().expect("it is TOML");
    let folders = |value: &toml::Value| -> Vec<String> {
        let list = value.as_array().expect("a list").iter();
        list.map(|own| own.as_str().expect("a folder").to_owned())
            .collect()
    };
    let trained = folders(&config["env"]["scene"]["patients"]);
    assert_eq!(trained, [adam.as_str()]);
    let held_out = folders(&config["evaluation"]["held_out"]);
    assert_eq!(held_out, [zoe.as_str()]);

    // An evaluation of the same episodes has the same figures.
    let evaluate = format!("evaluate {sweep} --patients {adam} {zoe}");
    let same = json(&format!(
        "{evaluate} --fix organs=1 --episodes 2 --seed 1000000"
    ));
    let only = [("adam", Some(true), 0), ("zoe", Some(false), 2)];
    assert_eq!(told(&same), expected(&only));
    assert_eq!(same["patients"][1], summary["patients"][1]);
    assert!(same["patients"][0]["return_mean"].is_null());

    // Episodes draw patients, and count for those that the table of episodes names.
    let csv = at("episodes.csv");
    let both = json(&format!("{evaluate} --episodes 6 --csv {csv}"));
    let table = std::fs::read_to_string(&csv).expect("it is written");
    let mut rows = table
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>());
    let head = rows.next().expect("a header");
    let column = |name: &str| {
        let found = head.iter().position(|own| own.starts_with(name));
        found.unwrap_or_else(|| panic!("{name}: {head:?}"))
    };
    let [patient, return_] = ["organs.seed", "return"].map(column);
    let own: Vec<f64> = rows
        // Reasons may have commas, so the parameters are counted from the end.
        .filter(|row| row[row.len() - (head.len() - patient)].parse() == Ok(1.0))
        .map(|row| row[return_].parse().expect("a number"))
        .collect();
    let n = own.len() as u64;
    let counts = [("adam", Some(true), 6 - n), ("zoe", Some(false), n)];
    assert_eq!(told(&both), expected(&counts));
    let mean = own.iter().sum::<f64>() / own.len() as f64;
    let figure = both["patients"][1]["return_mean"].as_f64();
    assert!(figure.is_some_and(|told| (told - mean).abs() < 1e-9 * mean.abs()));

    // A policy that was not trained has seen nobody.
    let built = "evaluate zero --task probe-press --set time.limit=0.2 --episodes 1";
    let text = done(&format!("{built} --patients {zoe}"));
    let row = text.lines().find(|line| line.starts_with("zoe"));
    let row = row.expect("a row").split_whitespace();
    assert_eq!(
        row.skip(1).take(2).collect::<Vec<_>>(),
        ["–", "1"],
        "{text}"
    );

    wrong_names_are_refused(&train, [&adam, &zoe, &sweep], &at("none"));
    names_are_inherited([&adam, &zoe, &sweep], &at("child"), &at("none"));
    imitation_has_the_patients_of_its_recording([&adam, &zoe], &at("recording"), &at("imitated"));
    the_folder_of_training_does_not_matter(&adam, &at("inside"));
}

/// A training in the folder of its patient.
fn the_folder_of_training_does_not_matter(adam: &str, output: &str) {
    let arguments = format!("train probe-press {SMALL} --patients . --output {output}");
    let trained = std::process::Command::new(env!("CARGO_BIN_EXE_insonate"))
        .args(arguments.split_whitespace())
        .current_dir(adam)
        .output()
        .expect("the binary starts");
    assert!(trained.status.success(), "{}", command::stderr(&trained));
    let elsewhere = json(&format!("evaluate {output} --episodes 1"));
    assert_eq!(told(&elsewhere), expected(&[("adam", Some(true), 1)]));
}

fn imitation_has_the_patients_of_its_recording([adam, zoe]: [&str; 2], data: &str, imitated: &str) {
    // So short episodes fail, but are recorded.
    let recorded = insonate(&format!(
        "demonstrate probe-press --episodes 2 --set time.limit=0.2 --patients {adam} --output {data}"
    ));
    let line = command::stderr(&recorded);
    assert!(line.contains("the data set was written"), "{line}");
    done(&format!(
        "imitate probe-press --data {data} --epochs 1 --patients {zoe} --output {imitated}"
    ));
    let evaluate =
        format!("evaluate {imitated} --fix organs=0 --episodes 1 --patients {adam} {zoe}");
    let all = [("adam", Some(true), 1), ("zoe", Some(false), 0)];
    assert_eq!(told(&json(&evaluate)), expected(&all));
}

/// A policy that began with another has seen that one's patients too, also when it is resumed.
fn names_are_inherited([adam, zoe, parent]: [&str; 3], child: &str, output: &str) {
    let child_of =
        format!("train --from-policy {parent} {SMALL} --patients {zoe} --output {child}");
    let summary = json(&child_of);
    assert_eq!(told(&summary), expected(&[("zoe", Some(true), 2)]));
    let longer = SMALL.replace("--steps 128", "--steps 256");
    let resume = format!("train --resume {longer} --output {child}");
    for training in [None, Some(resume)] {
        if let Some(training) = training {
            json(&training);
        }
        let evaluate =
            format!("evaluate {child} --fix organs=0 --episodes 1 --patients {adam} {zoe}");
        let all = [("adam", Some(true), 1), ("zoe", Some(true), 0)];
        assert_eq!(told(&json(&evaluate)), expected(&all));
    }
    let grandchild = format!(
        "train --from-policy {child} {SMALL} --patients {adam} {zoe} --hold-out adam --output {output}"
    );
    let line = refused(&grandchild, 2);
    assert!(
        line.contains("adam") && line.contains("--from-policy"),
        "{line}"
    );
}

fn wrong_names_are_refused(train: &str, [adam, zoe, sweep]: [&str; 3], output: &str) {
    let line = refused(&format!("{train} --hold-out zoey --output {output}"), 2);
    for name in ["zoey", "adam", "zoe"] {
        assert!(line.contains(name), "{name}: {line}");
    }
    let line = refused(&format!("{train} --hold-out adam zoe --output {output}"), 2);
    assert!(line.contains("at least one"), "{line}");
    let line = refused(
        &format!("train probe-press --hold-out zoe --output {output}"),
        2,
    );
    assert!(line.contains("in scene.patients (--patients)"), "{line}");
    for change in ["--hold-out adam", "--set evaluation.held_out=[]"] {
        let line = refused(&format!("train --resume {change} --output {sweep}"), 2);
        assert!(line.contains("cannot change on resume"), "{line}");
    }
    // Two folders of one name could not be told apart.
    let twin = format!("{output}-twin/zoe");
    let arguments =
        format!("evaluate zero --task probe-press --episodes 1 --patients {zoe} {twin}");
    let line = command::stderr(&insonate(&arguments));
    assert!(
        line.contains(&twin) && line.contains("one name, zoe"),
        "{line}"
    );
    // Whom the first policy has seen cannot be held out.
    let arguments = format!(
        "train --from-policy {sweep} {SMALL} --patients {adam} {zoe} --hold-out adam --output {output}"
    );
    let line = refused(&arguments, 2);
    assert!(
        line.contains("adam") && line.contains("--from-policy"),
        "{line}"
    );
}
