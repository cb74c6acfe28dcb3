//! Contract: tasks take patients that were made of a segmentation: scripts solve them there, views and surfaces are those of the labels, an
//! episode has the patient of its seed, and what cannot be done is refused.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::path::Path;
use std::sync::LazyLock;

use insonate_anatomy::{Patient, PatientSettings, Tissues};
use insonate_envs::{Env, OwnPatient, ResetOptions, tasks};
use insonate_models::patients::{Physique, Sex};
use insonate_ultrasound::phantom::Adult;
use nalgebra::{Point3, Vector3};
use tempfile::TempDir;

/// Edge of the voxels [m].
const EDGE: f64 = 0.006;

/// Folders of a man and of a woman.
static FOLDERS: LazyLock<(TempDir, [String; 2])> = LazyLock::new(|| {
    let scratch = tempfile::tempdir().unwrap();
    let folders = [Sex::Male, Sex::Female].map(|sex| {
        let folder = scratch.path().join(format!("{sex:?}"));
        write(&made(&Physique::reference(sex)), &folder);
        folder.display().to_string()
    });
    (scratch, folders)
});

fn made(physique: &Physique) -> Patient {
    made_of_voxels(physique, EDGE)
}

fn made_of_voxels(physique: &Physique, edge: f64) -> Patient {
    let segmentation = Adult::new(physique, 0).unwrap().segmentation(edge).unwrap();
    let tissues = Tissues::standard().unwrap();
    Patient::make(
        &segmentation,
        &tissues,
        &PatientSettings::default(),
        "a test",
    )
    .unwrap()
}

fn write(patient: &Patient, folder: &Path) {
    std::fs::create_dir(folder).unwrap();
    for (name, bytes) in patient.files().unwrap() {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
}

fn patients(folders: &[String]) -> String {
    format!("{folders:?}")
}

fn make(task: &str, folders: &[String]) -> Box<dyn Env> {
    let list = patients(folders);
    let sets = [("scene.patients", &*list)];
    tasks::factory(task, &sets).unwrap().make().unwrap()
}

fn refusal(task: &str, folders: &[String]) -> String {
    let list = patients(folders);
    let built = tasks::factory(task, &[("scene.patients", &*list)]);
    let env = built.and_then(|factory| factory.make());
    let refused = env.and_then(|mut env| {
        let mut observation = vec![0.0; env.spec().observation_space.len()];
        env.reset(0, &ResetOptions::default(), &mut observation)
    });
    refused.unwrap_err().to_string()
}

fn metric(env: &dyn Env, name: &str) -> f64 {
    let names = &env.spec().metrics;
    let mut metrics = vec![0.0; names.len()];
    env.metrics(&mut metrics);
    metrics[names.iter().position(|known| *known == name).unwrap()]
}

/// An episode with a seed, by the script or, without one, by the zero action.
fn run(env: &mut dyn Env, seed: u64) {
    let mut observation = vec![0.0; env.spec().observation_space.len()];
    let mut action = vec![0.0; env.spec().action_space.len()];
    env.reset(seed, &ResetOptions::default(), &mut observation)
        .unwrap();
    loop {
        env.scripted_action(&mut action);
        if env.step(&action, &mut observation).unwrap().is_over() {
            assert!(observation.iter().all(|own| own.is_finite()));
            return;
        }
    }
}

#[test]
fn scripts_find_the_view_and_see_the_organ_of_a_made_patient() {
    let [man, _] = &FOLDERS.1;
    let folders = [man.clone()];
    let mut env = make("find-view", &folders);
    for seed in 0..2 {
        run(&mut *env, seed);
        assert_eq!(metric(&*env, "success"), 1.0, "{seed}");
        assert!(metric(&*env, "view_distance_mm") < 1.0, "{seed}");
    }
    let mut env = make("coverage", &folders);
    run(&mut *env, 0);
    assert_eq!(metric(&*env, "success"), 1.0);
    assert!(metric(&*env, "seen_share") > 0.5);
    let mut env = make("image-quality", &folders);
    run(&mut *env, 0);
    assert!(
        metric(&*env, "quality") > 0.85,
        "{}",
        metric(&*env, "quality")
    );
}

/// Where the arm would touch itself, another window is drawn.
#[test]
fn an_image_starts_where_the_arm_is_clear_of_itself() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("patient");
    // On its windows the first draw of the episode of seed 14 would put the upper arm into the wrist.
    write(&made_of_voxels(&Physique::default(), 0.008), &folder);
    let mut env = make("image-quality", &[folder.display().to_string()]);
    let mut observation = vec![0.0; env.spec().observation_space.len()];
    for seed in 13..16 {
        let started = env.reset(seed, &ResetOptions::default(), &mut observation);
        assert!(started.is_ok(), "{seed}: {started:?}");
    }
}

#[test]
fn the_trunk_of_a_made_patient_is_swept_and_pressed() {
    let list = patients(&FOLDERS.1[..1]);
    for task in ["probe-sweep", "probe-press"] {
        // The zero action of this mode solves both.
        let sets = [("scene.patients", &*list), ("action.mode", "hybrid_force")];
        let mut env = tasks::factory(task, &sets).unwrap().make().unwrap();
        for seed in 1..3 {
            run(&mut *env, seed);
            assert_eq!(metric(&*env, "success"), 1.0, "{task} {seed}");
        }
    }
}

/// The plane of the view holds the kidney's longest direction, and its line leads through the liver into the kidney.
#[test]
fn the_view_is_that_of_the_labels() {
    let own = OwnPatient::new(made(&Physique::default())).unwrap();
    let view = own.liver_kidney_view().unwrap();
    let labels = &own.patient().labels;
    let origin = Vector3::from(own.torso_origin());
    let class_at = |place: Point3<f64>| labels.class_at(&(place + origin)).map(str::to_owned);
    let along = |depth: f64| view * Point3::new(0.0, 0.0, depth);
    // The face is on the skin, up to a voxel.
    assert_eq!(class_at(along(-1.5 * EDGE)), None);
    assert!(class_at(along(1.5 * EDGE)).is_some());
    let met: Vec<String> = (0..200)
        .filter_map(|k| class_at(along(0.001 * f64::from(k))))
        .collect();
    let [liver, kidney] = ["liver", "kidney_right"].map(|name| {
        let found = met.iter().position(|own| own == name);
        found.unwrap_or_else(|| panic!("{name} is not met"))
    });
    assert!(liver < kidney, "{liver} {kidney}");
    // Among directions in space none has voxels farther from the kidney's middle than the array's.
    let value = labels.value("kidney_right").unwrap();
    let ([nx, ny, _], frame) = (labels.count(), labels.frame());
    let voxels = labels
        .voxels()
        .iter()
        .enumerate()
        .filter(|(_, own)| **own == value);
    let places: Vec<Vector3<f64>> = voxels
        .map(|(n, _)| {
            let index = [n % nx, n / nx % ny, n / nx / ny].map(|n| n as f64);
            frame.origin + frame.steps * Vector3::from(index) - origin
        })
        .collect();
    let middle = places.iter().sum::<Vector3<f64>>() / places.len() as f64;
    let spread = |way: &Vector3<f64>| -> f64 {
        places
            .iter()
            .map(|place| (place - middle).dot(way).powi(2))
            .sum()
    };
    let array = view.rotation * Vector3::x();
    assert!(array.y > 0.0, "it is towards the head");
    let most = spread(&array);
    for k in 0..400 {
        let height = 1.0 - 2.0 * (f64::from(k) + 0.5) / 400.0;
        let (sin, cos) = (2.399_963 * f64::from(k)).sin_cos();
        let flat = (1.0 - height * height).sqrt();
        let way = Vector3::new(flat * cos, flat * sin, height);
        assert!(spread(&way) <= most * (1.0 + 1e-9), "{way}");
    }
    // The line passes the kidney's middle.
    let off = view.inverse() * Point3::from(middle);
    assert!(off.x.hypot(off.y) < 1e-6, "{off}");
}

/// Points of a surface are next to voxels of the organ and of others, and their area is that of faces of voxels, which are larger.
#[test]
fn surfaces_are_those_of_the_labels() {
    let own = OwnPatient::new(made(&Physique::default())).unwrap();
    let points = own.surface("kidney_right", 400).unwrap();
    assert_eq!(points.len(), 400);
    let origin = Vector3::from(own.torso_origin());
    let labels = &own.patient().labels;
    for point in &points {
        let place = point.rest.cast::<f64>() + origin;
        let near =
            (-2..=2).flat_map(|i| (-2..=2).flat_map(move |j| (-2..=2).map(move |k| [i, j, k])));
        let is_own = near.map(|step| {
            let step = Vector3::from(step.map(|n| 0.5 * EDGE * f64::from(n)));
            labels.class_at(&(place + step)) == Some("kidney_right")
        });
        let found: Vec<bool> = is_own.collect();
        assert!(found.contains(&true) && found.contains(&false), "{place}");
    }
    // The smallest surface around the kidney's volume is a sphere's.
    let area: f64 = points.iter().map(|point| f64::from(point.area)).sum();
    let volume = 1e-6
        * own
            .patient()
            .description
            .class("kidney_right")
            .unwrap()
            .volume_ml;
    let sphere = (36.0 * std::f64::consts::PI).cbrt() * volume.powf(2.0 / 3.0);
    assert!((1.0..1.6).contains(&(area / sphere)), "{area} {sphere}");
    let missing = own.surface("pancreas", 400).unwrap_err().to_string();
    assert!(
        missing.contains("pancreas") && missing.contains("kidney_right"),
        "{missing}"
    );
}

/// Seeds draw patients; an episode depends on its seed alone, whatever patient was there before.
#[test]
fn an_episode_has_the_patient_of_its_seed() {
    let both = FOLDERS.1.clone();
    let mut env = make("probe-press", &both);
    let place = env
        .spec()
        .parameters
        .iter()
        .position(|own| own.starts_with("organs.seed"));
    let place = place.unwrap();
    let first = |env: &mut dyn Env, seed: u64| {
        let mut observation = vec![0.0; env.spec().observation_space.len()];
        env.reset(seed, &ResetOptions::default(), &mut observation)
            .unwrap();
        (env.parameters()[place], observation)
    };
    let mut found = [0; 2];
    for seed in 0..16 {
        let (patient, observation) = first(&mut *env, seed);
        found[patient as usize] += 1;
        let mut other = make("probe-press", &both);
        assert_eq!(first(&mut *other, seed), (patient, observation), "{seed}");
        if seed > 4 && found[0] > 0 && found[1] > 0 {
            break;
        }
    }
    assert!(found[0] > 0 && found[1] > 0, "{found:?}");
    // A parameter chooses one of them by hand.
    let heights = [0.0, 1.0].map(|patient| {
        let options = ResetOptions {
            parameters: [("organs".to_owned(), patient)].into(),
        };
        let mut observation = vec![0.0; env.spec().observation_space.len()];
        env.reset(0, &options, &mut observation).unwrap();
        let scene = env.torso().unwrap().scene.torso.as_ref().unwrap();
        scene.surface.bounds()[1][2]
    });
    assert!((heights[0] - heights[1]).abs() > 0.003, "{heights:?}");
}

#[test]
fn what_has_no_patient_is_refused() {
    let nowhere = ["nowhere/at-all".to_owned()];
    let message = refusal("probe-sweep", &nowhere);
    assert!(
        message.contains("nowhere/at-all") && message.contains("patient.toml"),
        "{message}"
    );
    let message = refusal("reacher", &nowhere);
    assert!(message.contains("scene"), "{message}");
    let [man, _] = &FOLDERS.1;
    let message = refusal("cube-push", std::slice::from_ref(man));
    assert!(
        message.contains("scene.patients") && message.contains("torso"),
        "{message}"
    );
}
