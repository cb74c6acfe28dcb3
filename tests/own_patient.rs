//! Contract: a segmentation becomes a patient in a folder by one command, scenes and images have it, and refusals name file and reason.

mod command;
mod model_file;

use std::path::Path;
use std::process::Command;

use command::{insonate, json, refused, stderr};
use insonate::anatomy::Tissues;
use insonate::envs::{Env, ResetOptions, tasks};
use insonate::models::SceneConfig;
use insonate::models::torsos::{Shape, Softness};
use insonate::sim::readings::ProbeFrame;
use insonate::ultrasound::material;
use insonate::volumes::{ClassMap, LabelImage, Segmentation};
use model_file::{extent, gltf};
use serde_json::Value;

/// Edge of the voxels [m].
const EDGE: f64 = 0.006;

/// Arguments in which `@` stands for the folder.
fn line(folder: &Path, arguments: &str) -> String {
    arguments.replace('@', &format!("{}/", folder.display()))
}

/// Number of voxels of a mask.
fn voxels(folder: &Path, class: &str) -> usize {
    let file = folder.join(format!("ct/segmentations/{class}.nii.gz"));
    let mask = LabelImage::read(file).expect("it is a mask");
    let ones = mask.occurring().into_iter().find(|(label, _)| *label == 1);
    ones.map_or(0, |(_, n)| n)
}

fn names(list: &Value) -> Vec<&str> {
    let list = list.as_array().expect("a list").iter();
    list.map(|class| class["name"].as_str().expect("a name"))
        .collect()
}

/// Depth at which a material begins on the middle line of an image [m].
fn depth_of(image: &Value, name: &str) -> f64 {
    let line = image["middle_line"].as_array().expect("a list").iter();
    let before = line.take_while(|row| row["material"] != name);
    before
        .map(|row| row["thickness_m"].as_f64().expect("a length"))
        .sum()
}

/// One patient is made for all checks, because it takes seconds.
#[test]
fn a_segmentation_becomes_a_patient_in_scenes_and_images() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let folder = scratch.path();
    let demo = json(&line(
        folder,
        &format!("patient demo --voxel {EDGE} --output @ct"),
    ));
    let made = json(&line(folder, "patient make @ct --output @patient"));
    the_report_tells_what_the_masks_hold(folder, &demo, &made);
    showing_it_gives_the_same(folder, &made);
    showing_a_segmentation_says_how_to_make_a_patient(folder);
    its_image_has_the_organs_of_the_adult(folder);
    its_torso_is_stiffer_above_ribs(folder);
    its_3d_view_lies_in_the_frame_of_the_labels(folder);
    an_organ_is_scanned_through_its_window(folder);
    organs_without_a_window_are_refused(folder);
    breathing_shells_say_that_they_have_no_ribs(folder);
    a_slab_is_imaged_but_not_pressed(folder);
    wrong_folders_and_options_are_refused(folder);
    wrong_segmentations_are_refused(folder);
}

fn the_report_tells_what_the_masks_hold(folder: &Path, demo: &Value, made: &Value) {
    assert_eq!(made["verdict"], "good", "{made}");
    for axis in ["left_right", "head_feet", "front_back"] {
        assert_eq!(made["orientation"][axis]["result"], "right", "{axis}");
    }
    assert!(names(&made["unmapped"]).is_empty());
    assert_eq!(
        made["classes"].as_array().map(Vec::len),
        demo["classes"].as_array().map(Vec::len)
    );
    for class in [
        "liver",
        "spleen",
        "kidney_left",
        "aorta",
        "rib_right_9",
        "vertebrae_L2",
    ] {
        let volume = made["volumes_ml"][class].as_f64().expect("a volume");
        let counted = 1e6 * EDGE.powi(3) * voxels(folder, class) as f64;
        assert!(
            (volume - counted).abs() < 1e-6 * counted,
            "{class}: {volume} {counted}"
        );
    }
    // The mask of the body holds all classes.
    let whole = 1e6 * EDGE.powi(3) * voxels(folder, "body_trunc") as f64;
    let all = made["volumes_ml"].as_object().expect("volumes").values();
    let sum: f64 = all.filter_map(Value::as_f64).sum();
    assert!((sum - whole).abs() < 1e-6 * whole, "{sum} {whole}");
    // The reference man's trunk: 0.33 m wide, 0.60 m long, 0.22 m thick.
    for (axis, size) in [0.33, 0.60, 0.22].into_iter().enumerate() {
        let [low, high] = [0, 1].map(|end| made["bounds_m"][end][axis].as_f64().expect("a bound"));
        assert!((high - low - size).abs() < 0.04, "{axis}: {low} {high}");
    }
    assert!(
        made["seconds"]
            .as_f64()
            .is_some_and(|seconds| seconds > 0.0)
    );
    let page = folder.join("patient/report.html");
    let page = std::fs::read_to_string(page).expect("there is a report");
    assert_eq!(page.matches("src=\"data:image/png;base64,").count(), 3);
    assert!(!page.contains("://"), "it is self-contained");
    for told in ["kidney_left", "good", "sternum"] {
        assert!(page.contains(told), "{told}");
    }
}

fn showing_it_gives_the_same(folder: &Path, made: &Value) {
    let shown = json(&line(folder, "patient show @patient"));
    for key in [
        "verdict",
        "classes",
        "volumes_ml",
        "bounds_m",
        "table_m",
        "orientation",
        "source",
    ] {
        assert_eq!(shown[key], made[key], "{key}");
    }
    let message = refused(&line(folder, "patient show @none"), 2);
    assert!(message.contains("none/patient.toml"), "{message}");
}

/// The error for a segmentation names a command that makes the patient.
fn showing_a_segmentation_says_how_to_make_a_patient(folder: &Path) {
    for arguments in ["patient show @ct", "image --patient @ct --output @view"] {
        let message = refused(&line(folder, arguments), 2);
        let printed = message.split('`').nth(1).expect("it names a command");
        let scratch = tempfile::tempdir_in(folder).expect("a scratch folder");
        let made = Command::new(env!("CARGO_BIN_EXE_insonate"))
            .args(printed.split_whitespace().skip(1))
            .current_dir(scratch.path())
            .output()
            .expect("the binary starts");
        assert!(made.status.success(), "{printed}: {}", stderr(&made));
        let patient = scratch.path().join("output/patient/patient.toml");
        assert!(patient.is_file(), "{printed}");
    }
}

/// The folder's labels are those of the adult, so the liver begins at the same depth, up to a voxel and layers that voxels do not resolve.
fn its_image_has_the_organs_of_the_adult(folder: &Path) {
    let view = "--imaging-depth 0.12 --lines 32 --samples 512";
    let own = json(&line(folder, &format!("image --patient @patient {view}")));
    // Sites are relative to the middle of the torso; the files have the adult's own frame.
    let number = |key: &str, axis: usize| own[key][axis].as_f64().expect("a coordinate");
    let site = [0, 1].map(|axis| number("site_m", axis) + number("torso_origin_m", axis));
    let [left, head] = site;
    let adult = json(&format!(
        "image --patient adult --site {left},{head} {view}"
    ));
    let [own_depth, depth] = [&own, &adult].map(|image| depth_of(image, "liver"));
    assert!((0.01..0.06).contains(&depth), "{adult}");
    assert!(
        (own_depth - depth).abs() < 1.5 * EDGE,
        "{own_depth} {depth}: {own}"
    );
    assert_eq!(own["warnings"], Value::Array(Vec::new()));
}

/// On a soft place the torso is as soft as its softness says, and above a rib it is stiffer.
fn its_torso_is_stiffer_above_ribs(folder: &Path) {
    let press = |site: &str| {
        let arguments = format!(
            "press --patient @patient --torso fast --site {site} --depth 0.012 --no-pictures --output @press"
        );
        let pressed = json(&line(folder, &arguments));
        assert_eq!(pressed["verdict"], "passed", "{pressed}");
        pressed["peak_force_n"].as_f64().expect("a force") / 0.012
    };
    let soft = press("0.0,-0.12");
    assert!((1324.0 * 0.85..1324.0 * 1.2).contains(&soft), "{soft}");
    let stiff = press("0.0,0.15");
    assert!((1.3..3.0).contains(&(stiff / soft)), "{stiff} {soft}");
    // A task that holds the force of the press is as deep as the press.
    for (head, stiffness) in [(-0.12, soft), (0.15, stiff)] {
        let depth = depth_in_a_task(&folder.join("patient"), head, 0.012 * stiffness);
        assert!((depth / 0.012 - 1.0).abs() < 0.12, "{head}: {depth}");
    }
    let held = "--force 5 --torso fast --lines 32 --samples 256 --imaging-depth 0.12";
    let image = json(&line(folder, &format!("image --patient @patient {held}")));
    assert_eq!(image["verdict"], "passed", "{image}");
    let force = image["force_n"].as_f64().expect("a force");
    assert!((4.0..6.0).contains(&force), "{force}");
    assert!(
        (0.005..0.06).contains(&depth_of(&image, "liver")),
        "{image}"
    );
}

/// Organs, robot and image together, for other programs.
fn its_3d_view_lies_in_the_frame_of_the_labels(folder: &Path) {
    let held = "--force 5 --torso fast --lines 32 --samples 256 --imaging-depth 0.12";
    let made = format!("image --patient @patient {held} --glb --obj --output @model");
    let image = json(&line(folder, &made));
    let file = |name: &str| std::fs::read(folder.join("model").join(name)).expect("it is there");
    assert_eq!(&file("view_3d.png")[1..4], b"PNG");

    let model = gltf(&folder.join("model"));
    let nodes = names(&model["nodes"]);
    for name in [
        "liver",
        "kidney_left",
        "bones",
        "skin",
        "image",
        "robot/link7",
    ] {
        assert!(nodes.contains(&name), "{name}: {nodes:?}");
    }
    assert!(
        !nodes.iter().any(|name| name.starts_with("torso/")),
        "{nodes:?}"
    );

    // The liver's middle is where the labels have it: to the left, backwards and to the head [mm]. Pressed in front, it moves backwards.
    let obj = String::from_utf8(file("view_3d.obj")).expect("it is text");
    assert!(obj.starts_with("# SPACE=LPS\n"));
    let parts: Vec<&str> = obj.split("\no ").collect();
    let vertices = |name: &str| -> Vec<Vec<f64>> {
        let own = parts
            .iter()
            .find(|part| part.starts_with(&format!("{name}\n")));
        let lines = own.expect("a part").lines();
        let vertices = lines.filter_map(|line| line.strip_prefix("v "));
        let numbers = vertices.map(|line| line.split(' ').map(|x| x.parse().expect("a number")));
        numbers.map(Iterator::collect).collect()
    };
    let bounds = |name: &str, axis: usize| {
        let along = vertices(name).into_iter().map(|vertex| vertex[axis]);
        along.fold([f64::MAX, f64::MIN], |[low, high], x| {
            [low.min(x), high.max(x)]
        })
    };
    let mask = folder.join("ct/segmentations/liver.nii.gz");
    let mask = LabelImage::read(mask).expect("it is a mask");
    let [low, high] = occupied(&mask);
    // The frame of labels is to the left, head and front [m].
    for (axis, ends) in [(0, [low[0], high[0]]), (2, [low[1], high[1]])] {
        let [least, most] = bounds("liver", axis);
        let off = [least - 1000.0 * ends[0], most - 1000.0 * ends[1]];
        assert!(off.iter().all(|off| off.abs() < 6.0), "{axis}: {off:?}");
    }
    // The image is 120 mm deep behind the middle of the face, whose ends are up to 20 mm in front of it.
    let [front, back] = bounds("image", 1);
    assert!((119.0..140.0).contains(&(back - front)), "{front} {back}");
    assert_eq!(image["verdict"], "passed");
}

/// Lowest and highest centres of the voxels of a mask, without the body around it [m].
fn occupied(mask: &LabelImage) -> [nalgebra::Vector3<f64>; 2] {
    let [nx, ny, nz] = mask.count();
    let places = (0..nx * ny * nz).map(|n| [n % nx, n / nx % ny, n / nx / ny]);
    let own = places.filter(|place| mask.label(*place) == Some(1));
    let frame = mask.frame();
    let centres = own
        .map(|place| frame.origin + frame.steps * nalgebra::Vector3::from(place.map(|n| n as f64)));
    centres.fold(
        [
            nalgebra::Vector3::repeat(f64::MAX),
            nalgebra::Vector3::repeat(f64::MIN),
        ],
        |[low, high], at| [low.inf(&at), high.sup(&at)],
    )
}

/// Depth of the probe [m] at the end of an episode that holds a force [N] near a place towards the head [m].
fn depth_in_a_task(patient: &Path, head: f64, force: f64) -> f64 {
    let nominal = Softness::default();
    let list = format!("[{:?}]", patient.display().to_string());
    let [stiffness, damping, force] =
        [nominal.stiffness, nominal.damping, force].map(|value| format!("[{value}, {value}]"));
    let sets = [
        ("scene.patients", &*list),
        ("scene.torso", "fast"),
        ("action.mode", "hybrid_force"),
        ("task.area", "[0.0, 0.16]"),
        ("randomization.stiffness", &*stiffness),
        ("randomization.damping", &*damping),
        ("randomization.force", &*force),
        ("randomization.start_offset", "[0.0, 0.0]"),
    ];
    let factory = tasks::factory("probe-press", &sets).expect("it is a task");
    let mut env = factory.make().expect("it is made");
    let mut observation = vec![0.0; env.spec().observation_space.len()];
    let action = vec![0.0; env.spec().action_space.len()];
    for seed in 0..400 {
        let reset = env.reset(seed, &ResetOptions::default(), &mut observation);
        reset.expect("it starts");
        if (place_and_depth(&*env).0 - head).abs() > 0.004 {
            continue;
        }
        while !env
            .step(&action, &mut observation)
            .expect("it steps")
            .is_over()
        {}
        return place_and_depth(&*env).1;
    }
    panic!("no episode starts near {head} m");
}

/// Place of the probe towards the head, and its depth below the skin at rest [m].
fn place_and_depth(env: &dyn Env) -> (f64, f64) {
    let torso = env.torso().expect("it has a torso");
    let probe = ProbeFrame::new(torso.physics.model()).expect("there is a probe");
    let face = probe.world_from_probe(torso.physics).position;
    let skin = torso.scene.surface_above(face.x, face.y);
    let skin = skin.expect("it is above the skin");
    let axes = skin
        .normal
        .iter()
        .zip(skin.position.iter().zip(face.iter()));
    let depth = axes
        .map(|(normal, (skin, face))| normal * (skin - face))
        .sum();
    (face.y - torso.scene.torso_position[1], depth)
}

/// The rows of `windows.csv` as numbers by column; empty fields are not numbers.
fn windows_of(folder: &Path) -> (Vec<String>, Vec<Vec<f64>>) {
    let text = std::fs::read_to_string(folder.join("windows.csv")).expect("there is a table");
    let mut lines = text.lines();
    let columns = lines.next().expect("a head").split(',');
    let columns = columns.map(str::to_owned).collect();
    let number = |field: &str| field.parse().unwrap_or(f64::NAN);
    let rows = lines.map(|line| line.split(',').map(number).collect());
    (columns, rows.collect())
}

/// The probe follows a path on which the table says that the liver is seen, and images the liver there.
fn an_organ_is_scanned_through_its_window(folder: &Path) {
    let arguments =
        "scan --patient @patient --organ liver --torso fast --b-mode --no-pictures --output @scan";
    let done = json(&line(folder, arguments));
    assert_eq!(done["verdict"], "passed", "{done}");
    assert_eq!(done["organ"], "liver");
    let figure = |key: &str| done[key].as_f64().expect("a figure");
    assert!((0.02..0.31).contains(&figure("window_path_m")), "{done}");
    assert!(figure("window_area_m2") > 1e-3, "{done}");
    assert!(figure("window_tilt_max_deg") < 15.1, "{done}");
    assert!(figure("window_open") >= 0.5, "{done}");
    assert!(
        figure("path_asked_m") <= figure("window_path_m") + 1e-6,
        "{done}"
    );
    let picture = std::fs::read(folder.join("scan/windows.png")).expect("there is a picture");
    assert!(picture.starts_with(b"\x89PNG"));
    let (columns, rows) = windows_of(&folder.join("scan"));
    let column = |name: &str| {
        columns
            .iter()
            .position(|own| own == name)
            .expect("a column")
    };
    let [left, head, loss] = ["left_m", "head_m", "loss_db"].map(column);
    let origin = json(&line(
        folder,
        "image --patient @patient --lines 8 --samples 64",
    ));
    let origin = [0, 1].map(|axis| origin["torso_origin_m"][axis].as_f64().expect("a number"));
    let log = std::fs::read_to_string(folder.join("scan/log.csv")).expect("there is a log");
    let mut lines = log.lines();
    let names: Vec<&str> = lines.next().expect("a head").split(',').collect();
    let of = |name: &str| names.iter().position(|own| *own == name).expect("a column");
    let [phase, x, y] = ["phase", "position_x_m", "position_y_m"].map(of);
    let adult = SceneConfig {
        shape: Shape::Adult,
        ..SceneConfig::default()
    };
    let torso = adult.build().expect("it is a scene").torso_position;
    let mut losses = Vec::new();
    for row in lines.map(|line| line.split(',').collect::<Vec<_>>()) {
        if row[phase] != "slide" {
            continue;
        }
        let place = [x, y].map(|own| row[own].parse::<f64>().expect("a number"));
        let place = [0, 1].map(|axis| place[axis] - torso[axis] + origin[axis]);
        let far = |row: &Vec<f64>| (row[left] - place[0]).hypot(row[head] - place[1]);
        let nearest = rows.iter().min_by(|a, b| far(a).total_cmp(&far(b)));
        let nearest = nearest.expect("there are places");
        assert!(far(nearest) < 0.01, "{place:?}");
        losses.push(nearest[loss]);
    }
    // The face is up to some millimetres off the path, so that a few places may be next to it.
    let seen: Vec<f64> = losses
        .iter()
        .copied()
        .filter(|loss| loss.is_finite())
        .collect();
    assert!(
        seen.len() as f64 > 0.98 * losses.len() as f64,
        "{}",
        seen.len()
    );
    let mean = seen.iter().sum::<f64>() / seen.len() as f64;
    let told = figure("window_loss_db");
    assert!((mean - told).abs() < 0.15 * told, "{mean} {told}");
}

fn organs_without_a_window_are_refused(folder: &Path) {
    let scan = |rest: &str| {
        line(
            folder,
            &format!("scan --patient @patient {rest} --output @none"),
        )
    };
    let message = refused(&scan("--organ livre"), 2);
    assert!(
        message.contains("livre") && message.contains("liver"),
        "{message}"
    );
    let message = refused(&scan("--organ liver --from 0,0"), 2);
    assert!(message.contains("--from"), "{message}");
    let message = refused("scan --patient adult --organ liver --output none", 2);
    assert!(message.contains("--patient DIR"), "{message}");
    // With gas in front of it the aorta is not seen, but the bladder is.
    let gassy = folder.join("gassy");
    std::fs::create_dir(&gassy).expect("the folder is new");
    for file in std::fs::read_dir(folder.join("patient")).expect("it is a folder") {
        let file = file.expect("it is listed");
        std::fs::copy(file.path(), gassy.join(file.file_name())).expect("it is copied");
    }
    let path = gassy.join("patient.toml");
    let mut text = std::fs::read_to_string(&path).expect("it is described");
    for class in ["liver", "small_bowel"] {
        let start = text
            .find(&format!("name = \"{class}\""))
            .expect("it has the class");
        let place = start
            + text[start..]
                .find("material = ")
                .expect("it has a material");
        let end = place + text[place..].find('\n').expect("the line ends");
        text.replace_range(place..end, "material = \"air\"");
    }
    std::fs::write(&path, text).expect("it is written");
    let arguments = "scan --patient @gassy --organ aorta --output @none";
    let message = refused(&line(folder, arguments), 2);
    for told in ["window to aorta", "gas", "one: ", "urinary_bladder"] {
        assert!(message.contains(told), "{told}: {message}");
    }
    assert!(!folder.join("none").exists());
}

/// A shell that breathes has one softness; it says so, and tasks use it.
fn breathing_shells_say_that_they_have_no_ribs(folder: &Path) {
    for (torso, is_told) in [("fast", true), ("composite", true), ("xpbd", false)] {
        let arguments = format!(
            "scene --patient @patient --torso {torso} --breathing-rate 0.25 --output @breathing.xml"
        );
        let output = insonate(&line(folder, &arguments));
        let message = stderr(&output);
        assert!(output.status.success(), "{torso}: {message}");
        assert_eq!(message.contains("ribs"), is_told, "{torso}: {message}");
    }
    let patient = format!("{:?}", [folder.join("patient").display().to_string()]);
    for torso in ["fast", "composite"] {
        let sets = [
            ("scene.patients", &*patient),
            ("scene.torso", torso),
            ("randomization.breathing", "true"),
        ];
        let factory = tasks::factory("probe-press", &sets).expect("it is a task");
        factory.make().expect("it is made");
    }
}

/// A CT of the upper abdomen alone: 102 mm are too little for a torso, and enough for an image.
fn a_slab_is_imaged_but_not_pressed(folder: &Path) {
    let whole = LabelImage::read(folder.join("patient/labels.nii.gz")).expect("they are labels");
    let [nx, ny, nz] = whole.count();
    let frame = whole.frame();
    let liver =
        occupied(&LabelImage::read(folder.join("ct/segmentations/liver.nii.gz")).expect("a mask"));
    let middle = 0.5 * (liver[0] + liver[1]);
    // The slowest axis goes to the head or to the feet.
    let place = ((middle.y - frame.origin.y) / frame.steps[(1, 2)]) as usize;
    let kept = place - 8..place + 9;
    assert!(kept.end <= nz);
    let of = |[x, y, z]: [usize; 3]| whole.label([x, y, z]).expect("a voxel");
    let labels = kept
        .clone()
        .flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])));
    let labels: Vec<i64> = labels.map(of).collect();
    let mut moved = frame;
    moved.origin += frame.steps.column(2) * kept.start as f64;
    let slab = LabelImage::new([nx, ny, kept.len()], moved, &labels).expect("they are labels");
    let table = whole
        .names()
        .iter()
        .map(|(label, name)| format!("{label} = \"{name}\"\n"));
    let table = format!("[classes]\n{}", table.collect::<String>());
    let map = ClassMap::parse(&table).expect("it is a table");
    let slab = Segmentation::of(slab, Some(&map)).expect("it has classes");
    std::fs::write(
        folder.join("slab.nii.gz"),
        slab.to_nifti().expect("it is written"),
    )
    .expect("the folder is there");

    let made = json(&line(folder, "patient make @slab.nii.gz --output @slab"));
    assert_eq!(made["verdict"], "doubtful", "{made}");
    let view = "--imaging-depth 0.12 --lines 32 --samples 512";
    let image = json(&line(folder, &format!("image --patient @slab {view}")));
    assert!((0.01..0.06).contains(&depth_of(&image, "liver")), "{image}");
    // Without a robot, the probe is drawn where it looks from. The second axis of glTF is to the front.
    json(&line(
        folder,
        &format!("image --patient @slab {view} --glb --output @slab-view"),
    ));
    let model = gltf(&folder.join("slab-view"));
    let [probe, image] = ["probe/", "image"].map(|name| extent(&model, name, 1));
    assert!((probe[1] - probe[0]) > 0.08, "{probe:?}");
    assert!((probe[0] - image[1]).abs() < 0.02, "{probe:?} {image:?}");
    let middle = |[low, high]: [f64; 2]| 0.5 * (low + high);
    let [probe, image] = ["probe/", "image"].map(|name| middle(extent(&model, name, 2)));
    assert!((probe - image).abs() < 0.02, "{probe} {image}");
    for refused_command in [
        "image --patient @slab --force 5",
        "scene --patient @slab",
        "press --patient @slab --no-pictures --output @none",
    ] {
        let message = refused(&line(folder, refused_command), 2);
        assert!(
            message.contains("trunk") && message.contains("mm"),
            "{message}"
        );
    }
}

fn wrong_folders_and_options_are_refused(folder: &Path) {
    let message = refused(&line(folder, "scene --patient @ct"), 2);
    assert!(message.contains("patient.toml"), "{message}");
    let message = refused(
        &line(folder, "image --patient @patient --patient-height 1.8"),
        2,
    );
    assert!(message.contains("--patient-height"), "{message}");
    let message = refused(&line(folder, "scene --patient @nobody"), 2);
    assert!(message.contains("nobody"), "{message}");
    let message = stderr(&insonate("scene --patient nobody"));
    assert!(
        message.contains("nobody") && message.contains("adult"),
        "{message}"
    );
}

fn wrong_segmentations_are_refused(folder: &Path) {
    let make = |arguments: &str, status: i32| {
        let arguments = line(
            folder,
            &format!("patient make {arguments} --output @refused"),
        );
        refused(&arguments, status)
    };
    assert!(make("@nowhere", 2).contains("nowhere"));
    assert!(make("@ct --classes lungs", 2).contains("total-v1"));
    // One mask is a volume without names.
    let message = make("@ct/segmentations/liver.nii.gz", 2);
    assert!(
        message.contains("liver.nii.gz") && message.contains("class maps"),
        "{message}"
    );
    let body = folder.join("ct/segmentations/body_trunc.nii.gz");
    std::fs::remove_file(body).expect("the mask is there");
    let message = make("@ct", 1);
    assert!(message.contains("body_trunc"), "{message}");
    assert!(!folder.join("refused").exists());
}

/// Images of a patient look up the materials of its tissues by name.
#[test]
fn the_materials_of_all_tissues_are_known() {
    let tissues = Tissues::standard().expect("the table is valid");
    for tissue in tissues.all() {
        let found = material::by_name(&tissue.material);
        assert!(found.is_ok(), "{}: {}", tissue.name, tissue.material);
    }
}
