//! Contract: commands write regular files completely, follow links, and write through devices and pipes; only one command at a time
//! uses a folder;
//! Ctrl-C ends a long command with status 130 within 2 s, and the partial results are saved and reported.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod command;

use std::fs::{self, Permissions};
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use command::{done, json, refused, stderr};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_scene_follows_the_output() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let xml = done(&["scene"]);
    let write = |path: &Path| done(&["scene", "--output", text(path)]);

    assert_eq!(done(&["scene", "-o", "-"]), xml);
    assert!(!Path::new("-").exists());

    fs::write(at("old.xml"), "old").unwrap();
    fs::set_permissions(at("old.xml"), Permissions::from_mode(0o640)).unwrap();
    symlink("old.xml", at("link.xml")).unwrap();
    write(&at("link.xml"));
    assert_eq!(fs::read_link(at("link.xml")).unwrap(), Path::new("old.xml"));
    assert_eq!(fs::read_to_string(at("old.xml")).unwrap(), xml);
    let mode = fs::metadata(at("old.xml")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);

    let pipe = at("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).unwrap()
    });
    write(&pipe);
    assert_eq!(reader.join().unwrap(), xml);

    // Creating device nodes needs root, so link to the system's nodes.
    symlink("/dev/null", at("null")).unwrap();
    symlink("/dev/full", at("full")).unwrap();
    for null in [Path::new("/dev/null"), &at("null")] {
        write(null);
    }
    for full in [Path::new("/dev/full"), &at("full")] {
        let line = refused(&["scene", "--output", text(full)], 1);
        assert_eq!(
            line,
            format!(
                "error: cannot write {}: No space left on device (os error 28)",
                full.display()
            )
        );
    }
    for device in ["/dev/null", "/dev/full"] {
        assert!(fs::metadata(device).unwrap().file_type().is_char_device());
    }
    assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 5);
}

#[test]
fn a_full_disk_ends_an_experiment_with_the_name_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    symlink("/dev/full", folder.path().join("log.csv")).unwrap();
    let output = text(folder.path());
    let line = refused(&[&PRESS[..], &["--output", output]].concat(), 1);
    assert!(line.contains("log.csv: No space left"), "{line}");
}

const PRESS: [&str; 6] = [
    "press",
    "--depth",
    "0.005",
    "--hold",
    "0.1",
    "--no-pictures",
];

#[test]
fn a_second_command_on_a_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = text(folder.path());
    let mut first = Command::new(env!("CARGO_BIN_EXE_insonate"))
        .args(["press", "--hold", "60", "--no-pictures", "--output", output])
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while !folder.path().join("scene.xml").exists() {
        assert!(begun.elapsed() < Duration::from_mins(1));
        std::thread::sleep(Duration::from_millis(5));
    }
    for arguments in [
        &PRESS[..],
        &["scan", "--no-pictures"],
        &["tissue", "push", "--no-pictures"],
        &[
            "rollout",
            "scripted",
            "--task",
            "probe-sweep",
            "--no-pictures",
        ],
        &["train", "pendulum", "--steps", "1000"],
        &["calibrate", "data/logs/absent.csv"],
    ] {
        let line = refused(&[arguments, &["--output", output]].concat(), 1);
        let expected = format!("another command (process {}) is writing", first.id());
        assert!(line.contains(&expected), "{arguments:?}: {line}");
    }
    first.kill().unwrap();
    first.wait().unwrap();
    json(&[&PRESS[..], &["--output", output]].concat());
    assert!(folder.path().join("summary.json").exists());
    assert!(!folder.path().join(".insonate.lock").exists());
}

/// The 2 s of the contract are for an optimised build on an idle machine, which tests do not have.
const LONGEST: Duration = Duration::from_secs(6);

/// Starts a command and sends SIGINT after six seconds. By then it has reached its loop, even if other tests run. Returns standard
/// output and standard error.
fn interrupted(folder: &Path, arguments: &[&str]) -> (String, String) {
    interrupted_after(Duration::from_secs(6), folder, arguments)
}

/// Starts a command and sends SIGINT after a given time.
fn interrupted_after(wait: Duration, folder: &Path, arguments: &[&str]) -> (String, String) {
    let child = Command::new(env!("CARGO_BIN_EXE_insonate"))
        .args(arguments)
        .arg("--output")
        .arg(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while !folder.join(".insonate.lock").exists() && begun.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(wait);
    let id = child.id().to_string();
    let kill = Command::new("kill").args(["-INT", &id]).status();
    assert!(kill.unwrap().success());
    let sent = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(
        sent.elapsed() < LONGEST,
        "{arguments:?}: {:?}",
        sent.elapsed()
    );
    let problem = stderr(&output);
    assert_eq!(output.status.code(), Some(130), "{arguments:?}: {problem}");
    assert!(
        problem.contains("interrupted after ") && problem.contains(" s: saved "),
        "{problem}"
    );
    assert!(!problem.contains("error:"), "{problem}");
    (String::from_utf8(output.stdout).unwrap(), problem)
}

fn read(folder: &Path, name: &str) -> serde_json::Value {
    serde_json::from_slice(&fs::read(folder.join(name)).unwrap()).unwrap()
}

#[test]
fn a_press_and_a_scan_save_their_log_and_summary() {
    for arguments in [
        ["press", "--hold", "60", "--json", "--torso", "composite"],
        ["scan", "--speed", "0.001", "--json", "--torso", "composite"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (printed, _) = interrupted(folder.path(), &arguments);
        let summary = read(folder.path(), "summary.json");
        assert_eq!(summary["interrupted"], true);
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&printed).unwrap(),
            summary
        );
        let log = fs::read_to_string(folder.path().join("log.csv")).unwrap();
        let last = log.lines().last().unwrap().split(',').next().unwrap();
        let simulated = summary["seconds_simulated"].as_f64().unwrap();
        assert!((last.parse::<f64>().unwrap() - simulated).abs() < 1e-6);
    }
}

#[test]
fn an_interrupt_saves_the_finished_sites() {
    let folder = tempfile::tempdir().unwrap();
    // On a busy machine the first site is reached late.
    interrupted_after(
        Duration::from_secs(10),
        folder.path(),
        &["press", "--sites", "5", "--hold", "60", "--no-pictures"],
    );
    assert_eq!(read(folder.path(), "truth.json")["interrupted"], true);
}

#[test]
fn a_motion_on_tissue_saves_its_forces_and_summary() {
    let folder = tempfile::tempdir().unwrap();
    interrupted(
        folder.path(),
        &["tissue", "push", "--duration", "100", "--no-pictures"],
    );
    let summary = read(folder.path(), "summary.json");
    assert_eq!(summary["interrupted"], true);
    assert!(folder.path().join("force.csv").exists());
}

#[test]
fn fitting_a_scene_saves_the_results_of_the_logs() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name).to_str().unwrap().to_owned();
    let press = [
        "press",
        "--sites",
        "1",
        "--lattice",
        "thesis",
        "--no-pictures",
        "--output",
        &at("press"),
    ];
    done(&press);
    let folder = scratch.path().join("fit");
    interrupted(
        &folder,
        &[
            "calibrate",
            &at("press/site.csv"),
            "--fit-scene",
            "--torso",
            "composite",
        ],
    );
    assert_eq!(read(&folder, "result.json")["interrupted"], true);
    assert!(folder.join("softness.toml").exists() && folder.join("report.html").exists());
}

#[test]
fn a_film_without_frames_ends_like_any_scan() {
    let folder = tempfile::tempdir().unwrap();
    let scan = ["scan", "--patient", "adult", "--b-mode", "--no-pictures"];
    // The speed is so low that the signal arrives long before the probe slides.
    let child = Command::new(env!("CARGO_BIN_EXE_insonate"))
        .args(scan)
        .args(["--speed", "0.001", "--output", text(folder.path())])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !folder.path().join("scene.xml").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let (problem, status, seconds) = stopped(child);
    assert_eq!(status, Some(130), "{problem}");
    assert!(seconds < LONGEST, "{seconds:?}: {problem}");
    assert!(problem.contains("interrupted after "), "{problem}");
    assert!(!problem.contains("error:"), "{problem}");
    let what = problem.rsplit(": ").next().unwrap();
    assert_eq!(
        what.contains("log.csv"),
        folder.path().join("log.csv").exists()
    );
    assert!(!folder.path().join(".insonate.lock").exists());
}

#[test]
fn pictures_that_are_being_drawn_do_not_hold_a_command_up() {
    let folder = tempfile::tempdir().unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_insonate"))
        .args(["continuum", "navigate", "--frames", "200", "--picture-size"])
        .args(["2000x2000", "--output", text(folder.path())])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !folder.path().join("summary.json").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let (problem, status, seconds) = stopped(child);
    assert!(seconds < LONGEST, "{seconds:?}: {problem}");
    // A machine without OpenGL draws no pictures and may finish before the signal.
    if status != Some(0) || !problem.contains("no pictures") {
        assert_eq!(status, Some(130), "{problem}");
        assert!(
            problem.contains("saved log.csv and summary.json"),
            "{problem}"
        );
        assert!(folder.path().join("run.toml").exists());
    }
}

/// Sends SIGINT. Returns standard error, the status and the time until the end.
fn stopped(child: std::process::Child) -> (String, Option<i32>, Duration) {
    let id = child.id().to_string();
    let kill = Command::new("kill").args(["-INT", &id]).status();
    assert!(kill.unwrap().success());
    let sent = Instant::now();
    let output = child.wait_with_output().unwrap();
    (stderr(&output), output.status.code(), sent.elapsed())
}

#[test]
fn a_folder_holds_the_files_of_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let output = text(folder.path());
    json(&[&PRESS[..], &["--output", output]].concat());
    let user = folder.path().join("notes.txt");
    fs::write(&user, "mine").unwrap();
    let rollout = ["rollout", "zero", "--task", "pendulum", "--no-pictures"];
    let train = ["train", "pendulum", "--steps", "1000"];
    for arguments in [
        &["scan", "--no-pictures"][..],
        &["tissue", "push", "--no-pictures"],
        &["image", "--phantom", "points"],
        &["continuum", "navigate"],
        &["calibrate", "data/logs/absent.csv"],
        &["psm", "track"],
        &["demonstrate", "pendulum"],
        &rollout,
        &train,
    ] {
        let line = refused(&[arguments, &["--output", output]].concat(), 1);
        let said = line.contains("insonate press") && line.contains("--overwrite");
        assert!(said, "{arguments:?}: {line}");
    }
    let list = || -> Vec<String> {
        let entries = fs::read_dir(folder.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert!(list().contains(&"force_indentation.svg".to_owned()));
    done(&[&rollout[..], &["--overwrite", "--output", output]].concat());
    let rolled = list();
    assert!(
        !rolled.contains(&"force_indentation.svg".to_owned()),
        "{rolled:?}"
    );
    assert!(rolled.contains(&"config.toml".to_owned()), "{rolled:?}");
    // Without the option: the same command replaces its files.
    done(&[&rollout[..], &["--episodes", "2", "--output", output]].concat());
    let several = list();
    let here = [
        ".insonate.files",
        "episode-0",
        "episode-1",
        "notes.txt",
        "run.toml",
    ];
    assert_eq!(several, here);
    done(&[&train[..], &["--overwrite", "--output", output]].concat());
    let trained = list();
    assert!(
        trained.contains(&"policy.safetensors".to_owned()),
        "{trained:?}"
    );
    assert!(!trained.contains(&"episode-0".to_owned()), "{trained:?}");
    done(&[&rollout[..], &["--overwrite", "--output", output]].concat());
    assert_eq!(list(), rolled);
    assert_eq!(fs::read_to_string(&user).unwrap(), "mine");
}

#[test]
fn a_camera_that_a_scene_does_not_have_is_refused_before_an_episode_runs() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("film");
    let rollout = ["rollout", "scripted", "--task", "probe-press", "--camera"];
    let line = refused(
        &[&rollout[..], &["close,cloze", "--output", text(&output)]].concat(),
        2,
    );
    assert!(
        line.contains("cloze") && line.contains("close, ") && line.contains("side"),
        "{line}"
    );
    assert!(!output.exists());
}

#[test]
fn finished_commands_do_not_report_an_interrupt() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().to_str().unwrap();
    let press = ["press", "--depth", "0.005", "--hold", "0", "--no-pictures"];
    let summary = json(&[&press[..], &["--output", output]].concat());
    assert_eq!(summary.get("interrupted"), None);
}

/// The numbers after a line of a file in VTK's legacy format.
fn vtk_numbers(file: &[u8], line: &str, n: usize) -> Vec<f64> {
    let line = format!("{line}\n");
    let found = file
        .windows(line.len())
        .position(|it| it == line.as_bytes());
    let start = found.unwrap() + line.len();
    let numbers = file[start..start + 8 * n].chunks_exact(8);
    numbers
        .map(|bytes| f64::from_be_bytes(bytes.try_into().unwrap()))
        .collect()
}

#[test]
fn a_press_into_a_solid_has_the_stress_in_the_tissue() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().to_str().unwrap();
    let press = "press --torso xpbd --depth 0.006 --speed 0.1 --hold 0.1 --no-pictures --output";
    let mut arguments: Vec<&str> = press.split(' ').collect();
    arguments.push(output);
    let summary = json(&arguments);
    let vtk = std::fs::read(folder.path().join("stress.vtk")).unwrap();
    let head = String::from_utf8_lossy(&vtk);
    let count = |word: &str| -> usize {
        let line = head.lines().find(|line| line.starts_with(word)).unwrap();
        line.split(' ').nth(1).unwrap().parse().unwrap()
    };
    let (n_points, n) = (count("POINTS"), count("CELL_DATA"));
    assert!(n_points > 500 && n > 2 * n_points, "{n_points} {n}");
    let points = vtk_numbers(&vtk, &format!("POINTS {n_points} double"), 3 * n_points);
    assert!(points.iter().all(|x| x.abs() < 2.0));
    let tensors = vtk_numbers(&vtk, "TENSORS stress_pa double", 9 * n);
    let von_mises = tensors.chunks_exact(9).map(|s| {
        let [xx, yy, zz, xy, yz, zx] = [s[0], s[4], s[8], s[1], s[5], s[6]];
        let normal = (xx - yy).powi(2) + (yy - zz).powi(2) + (zz - xx).powi(2);
        (0.5 * normal + 3.0 * (xy * xy + yz * yz + zx * zx)).sqrt()
    });
    let most = von_mises.fold(0.0, f64::max);
    let told = summary["von_mises_max_pa"].as_f64().unwrap();
    assert!(
        (most / told - 1.0).abs() < 1e-9 && told > 100.0,
        "{most} {told}"
    );
    assert!(summary["principal_strain_min"].as_f64().unwrap() < -0.01);
    assert!(folder.path().join("stress.svg").is_file());
}
