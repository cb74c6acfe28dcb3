//! Contract: the demo's CT gives a patient without masks of body, fat and muscle what these masks say, and tells what it added; a CT that
//! does not belong to the segmentation is refused by file and reason.

mod command;

use std::path::Path;

use command::{json, refused};
use insonate::volumes::{LabelImage, Segmentation};
use nalgebra::{Point3, Vector3};
use serde_json::Value;

/// Edge of the voxels [m].
const EDGE: f64 = 0.004;
/// Masks that a CT replaces.
const MASKS: [&str; 4] = [
    "body_trunc",
    "subcutaneous_fat",
    "torso_fat",
    "skeletal_muscle",
];

/// Arguments in which `@` stands for the folder.
fn line(folder: &Path, arguments: &str) -> String {
    arguments.replace('@', &format!("{}/", folder.display()))
}

fn mask(folder: &Path, class: &str) -> LabelImage {
    let file = folder.join(format!("ct/segmentations/{class}.nii.gz"));
    LabelImage::read(file).expect("it is a mask")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// Twice the voxels in common over the sum of those of some classes and of masks, on the masks' grid.
fn dice(labels: &Segmentation, is_own: impl Fn(&str) -> bool, masks: &[&LabelImage]) -> f64 {
    let ([nx, ny, _], frame) = (masks[0].count(), masks[0].frame());
    let [mut both, mut sum] = [0u64; 2];
    for at in 0..masks[0].voxels().len() {
        let index = [at % nx, at / nx % ny, at / (nx * ny)];
        let wanted = masks.iter().any(|mask| mask.label(index) == Some(1));
        let index = Vector3::from(index.map(|n| n as f64));
        let place = Point3::from(frame.origin + frame.steps * index);
        let own = labels.class_at(&place).is_some_and(&is_own);
        both += u64::from(own && wanted);
        sum += u64::from(own) + u64::from(wanted);
    }
    2.0 * both as f64 / sum as f64
}

/// One demo for all checks, because it takes seconds.
#[test]
fn the_ct_of_the_demo_replaces_masks() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let folder = scratch.path();
    let demo = json(&line(
        folder,
        &format!("patient demo --voxel {EDGE} --output @ct"),
    ));
    for axis in 0..3 {
        let [ct, own] = ["ct_voxels", "voxels"].map(|key| number(&demo[key][axis]));
        assert!(
            if axis == 2 {
                ct == own
            } else {
                ct > own + 15.0
            },
            "{demo}"
        );
    }
    let masks = MASKS.map(|name| mask(folder, name));
    without_a_ct_nothing_changes(folder);
    with_all_masks_gas_and_bone_are_added(folder);
    cts_of_something_else_are_refused(folder);
    for name in MASKS {
        let file = folder.join(format!("ct/segmentations/{name}.nii.gz"));
        std::fs::remove_file(file).expect("the mask is there");
    }
    let made = json(&line(
        folder,
        "patient make @ct/segmentations --ct @ct/ct.nii.gz --output @bare",
    ));
    assert_eq!(made["verdict"], "good", "{made}");
    assert_eq!(made["ct"]["has_body"], true, "{made}");
    assert_eq!(made["ct"]["table"], "back", "{made}");
    let labels = Segmentation::read(folder.join("bare/labels.nii.gz"), None);
    let labels = labels.expect("they are labels");
    let [body, under_skin, deep, muscle] = &masks;
    let own = dice(&labels, |_| true, &[body]);
    assert!(own > 0.98, "{own}");
    let fat = dice(&labels, |name| name == "fat", &[under_skin, deep]);
    assert!(fat > 0.9, "{fat}");
    let muscle = dice(&labels, |name| name == "muscle", &[muscle]);
    assert!(muscle > 0.9, "{muscle}");
    // The skin ends at the table's top, with the trunk's back on it.
    let plain = json(&line(folder, "patient show @plain"));
    for end in 0..2 {
        for axis in 0..3 {
            let [own, wanted] = [&made, &plain].map(|from| number(&from["bounds_m"][end][axis]));
            assert!((own - wanted).abs() < EDGE, "{end} {axis}: {own} {wanted}");
        }
    }
    let shown = json(&line(folder, "patient show @bare"));
    assert_eq!(shown["ct"], made["ct"]);
}

/// The CT lies next to the masks, and is not a mask.
fn without_a_ct_nothing_changes(folder: &Path) {
    let made = json(&line(folder, "patient make @ct --output @plain"));
    assert_eq!(made["verdict"], "good", "{made}");
    assert_eq!(made["ct"], Value::Null);
    let names = made["classes"].as_array().expect("a list").iter();
    let added = ["ct", "gas", "fat", "muscle", "cancellous_bone"];
    for name in names.map(|class| class["name"].as_str().expect("a name")) {
        assert!(!added.contains(&name), "{name}");
    }
}

fn with_all_masks_gas_and_bone_are_added(folder: &Path) {
    let made = json(&line(
        folder,
        "patient make @ct --ct @ct/ct.nii.gz --output @full",
    ));
    assert_eq!(made["verdict"], "good", "{made}");
    let ct = &made["ct"];
    assert_eq!(ct["has_body"], false, "{ct}");
    // The values of the simulated CT without a contrast agent.
    assert!((number(&ct["liver_hu"]) - 60.0).abs() < 1.0, "{ct}");
    assert!((250.0..1200.0).contains(&number(&ct["bone_hu"])), "{ct}");
    let plain = json(&line(folder, "patient show @plain"));
    // The volume is the segmentation's; gas takes voxels of it.
    let shown = |from: &Value| number(&from["volumes_ml"]["small_bowel"]);
    assert_eq!(shown(&plain), shown(&made));
    let bowel = |name: &str| {
        let labels = Segmentation::read(folder.join(name).join("labels.nii.gz"), None);
        let labels = labels.expect("they are labels");
        let mut all = labels.classes().iter();
        let own = all.find(|class| class.name == "small_bowel");
        1e6 * labels.voxel_volume() * own.expect("it is a class").n_voxels as f64
    };
    let gas = number(&made["volumes_ml"]["gas"]);
    // At most fourteen balls of 7 to 14 mm.
    assert!((10.0..161.0).contains(&gas), "{gas}");
    let lost = bowel("plain") - bowel("full");
    assert!((lost - gas).abs() < 1e-4 * gas, "{lost} {gas}");
    let classes = made["classes"].as_array().expect("a list").iter();
    let material = |name: &str| {
        let class = classes.clone().find(|class| class["name"] == name);
        class.unwrap_or_else(|| panic!("there is no {name}"))["material"].clone()
    };
    assert_eq!(material("gas"), "air");
    assert_eq!(material("cancellous_bone"), "cancellous bone");
    assert_eq!(material("costal_cartilages"), "cartilage");
    let page = std::fs::read_to_string(folder.join("full/report.html"));
    let page = page.expect("there is a report");
    for told in ["<h2>CT</h2>", "gas", "table at the back"] {
        assert!(page.contains(told), "{told}");
    }
}

fn cts_of_something_else_are_refused(folder: &Path) {
    let make = |ct: &str, status: i32| {
        let arguments = format!("patient make @ct --ct {ct} --output @none");
        refused(&line(folder, &arguments), status)
    };
    let told = make("@ct/segmentations/liver.nii.gz", 2);
    assert!(
        told.contains("liver.nii.gz") && told.contains("air near -1000"),
        "{told}"
    );
    let told = make("@ct/segmentations", 2);
    assert!(told.contains("DICOM"), "{told}");
    assert!(make("@nowhere.nii.gz", 2).contains("nowhere.nii.gz"));
    assert!(!folder.join("none").exists());
}
