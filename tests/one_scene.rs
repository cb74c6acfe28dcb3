//! Contract: the command line, the settings of a task and `SceneConfig` give the same document, byte for byte, for the same words; a word of
//! one place that is typed in the other gives a tip.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

#[expect(dead_code, reason = "other tests use the rest")]
mod command;

use command::{done, insonate, stderr};
use insonate::envs::probe::SceneSettings;
use insonate::envs::tasks;
use insonate::models::torsos::{self, Shape, TorsoConfig};
use insonate::models::{Lattice, Scene, SceneConfig};

fn xml(scene: &Scene) -> String {
    scene.to_mjcf().unwrap().to_xml().unwrap()
}

fn of_command(options: &[&str]) -> String {
    done(&[&["scene"], options].concat())
}

/// Settings of a task with the resolution of `press` and `scan`.
fn settings(torso: &str, shape: &str) -> SceneSettings {
    let mut settings = SceneSettings {
        torso: torso.to_owned(),
        shape: shape.to_owned(),
        ..SceneSettings::default()
    };
    let kind = torsos::by_name(torso).unwrap();
    (settings.tissue.spacing, settings.tissue.substep) = (0.0, 0.0);
    settings.tissue.reach = kind.active_radius.unwrap_or(0.0);
    settings
}

#[test]
fn every_torso_and_shape_is_one_scene_by_all_ways() {
    for kind in torsos::ALL {
        for &(name, shape) in Shape::ALL {
            let config = SceneConfig {
                torso: kind.name.to_owned(),
                shape,
                ..SceneConfig::default()
            };
            let expected = xml(&config.build().unwrap());
            let task = settings(kind.name, name).config().unwrap();
            let is_same = xml(&task.build().unwrap()) == expected;
            assert!(is_same, "{} {name}: the task differs", kind.name);
            let command = of_command(&["--torso", kind.name, "--shape", name]);
            assert!(
                command == expected,
                "{} {name}: the command differs",
                kind.name
            );
        }
    }
}

/// All of a torso moves on a GPU, and its file says so.
#[test]
fn a_torso_on_a_gpu_is_one_scene_by_all_ways() {
    let config = SceneConfig {
        torso: "xpbd".to_owned(),
        device: torsos::Device::Gpu,
        ..SceneConfig::default()
    };
    let expected = xml(&config.build().unwrap());
    assert!(expected.contains("torso_device") && !expected.contains("torso_reach"));
    let mut task = settings("xpbd", "cylinder");
    "gpu".clone_into(&mut task.device);
    assert!(xml(&task.config().unwrap().build().unwrap()) == expected);
    let reach = SceneConfig {
        active_radius: Some(0.1),
        ..config
    };
    let problem = reach.build().unwrap_err().to_string();
    assert!(problem.contains("active radius of 0.1 m"), "{problem}");
}

#[test]
fn a_task_and_a_command_take_the_same_softness_and_lattice() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("softness.toml");
    let text = "format = 1\n[pooled.stiffness]\nmean = 900\n[pooled.damping]\nmean = 12\n[scene.fast]\nstiffness = 800\ndamping = 9\n\
                shape = \"box\"\ncount = [9, 4, 11]\nspacing = 0.035\n\
                [scene.fast.parameters]\nrest_stiffness = 300\nrest_damping = 8\n";
    std::fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    for (torso, shape) in [("fast", "box"), ("fast", "cylinder"), ("xpbd", "box")] {
        let mut task = settings(torso, shape);
        file.clone_into(&mut task.softness);
        let task = xml(&task.config().unwrap().build().unwrap());
        let command = of_command(&["--torso", torso, "--shape", shape, "--softness", file]);
        assert!(task == command, "{torso} {shape}");
    }
    let mut task = settings("fast", "box");
    "thesis".clone_into(&mut task.lattice);
    task.timestep = 0.001;
    let task = xml(&task.config().unwrap().build().unwrap());
    // The earlier words of both options still work.
    for [lattice, timestep] in [
        ["--lattice", "--timestep"],
        ["--spacing", "--physics-timestep"],
    ] {
        let command = of_command(&["--shape", "box", lattice, "thesis", timestep, "0.001"]);
        assert!(task == command, "{lattice} {timestep}");
    }
}

#[test]
fn the_lattice_of_a_command_is_that_of_the_configuration() {
    let with = |lattice| SceneConfig {
        torso: "composite".to_owned(),
        lattice,
        ..SceneConfig::default()
    };
    let spacing = 0.04;
    let points = TorsoConfig {
        spacing,
        ..TorsoConfig::default()
    };
    let built = with(Lattice::Points {
        count: None,
        spacing: Some(spacing),
    });
    assert_eq!(built.torso_config().unwrap().unwrap(), points);
    let command = of_command(&["--torso", "composite", "--spacing", "0.04"]);
    assert!(xml(&built.build().unwrap()) == command);
}

#[test]
fn a_word_of_the_other_place_gives_a_tip() {
    for (arguments, tip) in [
        (
            &[
                "evaluate",
                "zero",
                "--task",
                "probe-press",
                "--robot-file",
                "arm.xml",
            ][..],
            "--set scene.robot_file=VALUE",
        ),
        (
            &["train", "probe-press", "--patient-height", "1.8"],
            "--set scene.patient.height=VALUE",
        ),
        (
            &["scan", "--set", "env.scene.lattice=thesis"],
            "--lattice VALUE",
        ),
        (
            &["scene", "--set", "scene.patient.height=1.8"],
            "--patient-height VALUE",
        ),
        (
            &["scene", "--spacing", "fine"],
            "--lattice takes probe or thesis",
        ),
        (
            &["psm", "simulate", "--robot", "ur5e"],
            "unexpected argument '--robot'",
        ),
    ] {
        let output = insonate(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = stderr(&output);
        assert!(message.contains(tip), "{arguments:?}: {message}");
    }
    let kind = tasks::by_name("probe-press").unwrap();
    for (name, value, tip) in [
        ("scene.spacing", "thesis", "scene.lattice=probe|thesis"),
        ("scene.patient_height", "1.8", "scene.patient.height"),
        ("scene.reach", "0.05", "scene.tissue.reach"),
        ("scene.control_timestep", "0.02", "time.control_timestep"),
        ("scene.latice", "thesis", "did you mean \"lattice\""),
    ] {
        let mut given = toml::Table::new();
        insonate::envs::settings::set(&mut given, name, value).unwrap();
        let message = (kind.build)(&given).unwrap_err().to_string();
        assert!(message.contains(tip), "{name}: {message}");
    }
}

#[test]
fn a_task_takes_the_earlier_name_of_its_time_step() {
    let kind = tasks::by_name("table-slide").unwrap();
    let built = |name: &str| {
        let mut given = toml::Table::new();
        insonate::envs::settings::set(&mut given, name, "0.001").unwrap();
        (kind.build)(&given).unwrap().settings
    };
    let now = built("scene.timestep");
    assert_eq!(built("scene.physics_timestep"), now);
    assert_eq!(now["scene"]["timestep"].as_float(), Some(0.001));
}
