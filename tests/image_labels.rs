//! Contract: `insonate image --labels` draws a volume with its materials, detects tissue without a label, and reads the body from a mask.

mod command;

use std::path::Path;

use command::{insonate, json, refused, stderr};
use serde_json::Value;

const TABLE: &str = "[labels]\n0 = \"air\"\n5 = \"liver\"\n16 = \"lung\"\n22 = \"muscle\"\n";

/// Writes a volume of cubic voxels with an edge [mm]. Left, back and head are 0 in its middle.
fn write_volume(path: &Path, n: [usize; 3], edge: f64, label: impl Fn([f64; 3]) -> u8) {
    let first = n.map(|n| -0.5 * edge * (n as f64 - 1.0));
    let [a, b, c] = n;
    let [x, y, z] = first;
    let header = format!(
        "NRRD0004\ntype: uint8\ndimension: 3\nspace: left-posterior-superior\nsizes: {a} {b} {c}\n\
         space directions: ({edge},0,0) (0,{edge},0) (0,0,{edge})\nencoding: raw\nspace origin: ({x},{y},{z})\n\n"
    );
    let voxels = (0..a * b * c).map(|at| {
        let index = [at % a, at / a % b, at / a / b];
        label([0, 1, 2].map(|axis| first[axis] + edge * index[axis] as f64))
    });
    let bytes: Vec<u8> = header.bytes().chain(voxels).collect();
    std::fs::write(path, bytes).expect("the folder can be written");
}

/// A trunk of muscle, 140 by 100 mm, with a ball of liver on the right.
fn trunk([left, back, head]: [f64; 3]) -> u8 {
    let liver = (left + 30.0).powi(2) + (back + 8.0).powi(2) + head.powi(2) < 22.0f64.powi(2);
    let body = (left / 70.0).powi(2) + (back / 50.0).powi(2) < 1.0;
    match (liver, body) {
        (true, _) => 5,
        (_, true) => 22,
        _ => 0,
    }
}

/// Arguments for a small picture. File names that start with `@` are in the folder.
fn small(folder: &Path, arguments: &str) -> String {
    let arguments = format!(
        "image {arguments} --materials @table.toml --rotation 0 --imaging-depth 0.1 --lines 128 --samples 256"
    );
    arguments.replace('@', &format!("{}/", folder.display()))
}

/// Runs the command and returns its JSON.
fn seen(folder: &Path, arguments: &str) -> Value {
    json(&small(folder, arguments))
}

#[test]
fn tissue_without_a_label_is_noticed_and_a_body_fills_it() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let folder = scratch.path();
    std::fs::write(folder.join("table.toml"), TABLE).expect("the folder can be written");
    let count = [80, 60, 30];
    write_volume(&folder.join("all.nrrd"), count, 2.0, trunk);
    let organ = |place| trunk(place) % 22;
    write_volume(&folder.join("organ.nrrd"), count, 2.0, organ);
    // A mask on another grid.
    let body = |place| u8::from(trunk(place) > 0);
    write_volume(&folder.join("body.nrrd"), [60, 50, 20], 3.0, body);
    let site = "--site -0.03,0";
    let warnings = |figures: &Value| figures["warnings"].as_array().expect("a list").len();

    let whole = seen(folder, &format!("--labels @all.nrrd {site}"));
    assert_eq!(warnings(&whole), 0, "{whole}");
    let naked = seen(folder, &format!("--labels @organ.nrrd {site}"));
    assert_eq!(warnings(&naked), 1, "{naked}");
    let told = stderr(&insonate(&small(
        folder,
        &format!("--labels @organ.nrrd {site}"),
    )));
    let warning = naked["warnings"][0].as_str().expect("a sentence");
    assert!(
        warning.contains("label 0")
            && warning.contains("--body-mask MASK")
            && told.contains(warning),
        "{told}"
    );
    let filled = seen(
        folder,
        &format!("--labels @organ.nrrd --body-mask @body.nrrd {site}"),
    );
    assert_eq!(warnings(&filled), 0, "{filled}");
    let first = |figures: &Value| figures["middle_line"][0]["material"].clone();
    assert_eq!(first(&naked), "liver");
    assert_eq!(first(&filled), "soft tissue");
    let share = |figures: &Value| figures["contact_share"].as_f64().expect("a number");
    assert!((share(&filled) - share(&whole)).abs() < 0.1, "{filled}");

    let table = folder.join("table.toml");
    std::fs::write(&table, format!("body = \"fat\"\n{TABLE}")).expect("the folder can be written");
    let fat = seen(
        folder,
        &format!("--labels @organ.nrrd --body-mask @body.nrrd {site}"),
    );
    assert_eq!(first(&fat), "fat");
    let path = |name: &str| folder.join(name).display().to_string();
    let message = refused(
        &format!(
            "image --labels {} --materials {} --body-mask {}",
            path("organ.nrrd"),
            path("table.toml"),
            path("nowhere.nrrd")
        ),
        2,
    );
    assert!(message.contains("nowhere.nrrd"), "{message}");
}

#[test]
fn a_header_with_its_labels_in_another_file_shows_the_same() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let folder = scratch.path();
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.join(name), bytes).expect("the folder can be written");
    };
    write("table.toml", TABLE.as_bytes());
    write_volume(&folder.join("all.nrrd"), [80, 60, 30], 2.0, trunk);
    let all = std::fs::read(folder.join("all.nrrd")).expect("it was written");
    let voxels = &all[all.len() - 80 * 60 * 30..];
    write("all.raw", voxels);
    let header = "NDims = 3\nBinaryData = True\nOffset = -79 -59 -29\nElementSpacing = 2 2 2\n\
                  DimSize = 80 60 30\nElementType = MET_UCHAR\nElementDataFile = all.raw\n";
    write("all.mhd", header.as_bytes());
    let [mut wanted, mut found] = ["all.nrrd", "all.mhd"]
        .map(|name| seen(folder, &format!("--labels @{name} --site -0.03,0")));
    for figures in [&mut wanted, &mut found] {
        figures["seconds_per_frame"] = Value::Null;
    }
    assert_eq!(wanted, found);
    write(
        "all.mhd",
        header.replace("all.raw", "../all.raw").as_bytes(),
    );
    let path = |name: &str| folder.join(name).display().to_string();
    let (labels, table) = (path("all.mhd"), path("table.toml"));
    let message = refused(&format!("image --labels {labels} --materials {table}"), 2);
    assert!(
        message.contains("../all.raw") && message.contains("plain name"),
        "{message}"
    );
}

/// A slab of liver below skin with a tumour, in a file with a text header and binary data.
fn label_volume() -> Vec<u8> {
    let header = "NRRD0004\ntype: uint8\ndimension: 3\nspace: left-posterior-superior\nsizes: 60 60 40\n\
                  space directions: (1.5,0,0) (0,1.5,0) (0,0,1.5)\nencoding: raw\nspace origin: (100,-200,-700)\n\n";
    let label = |at: usize| {
        let [x, y, z] = [at % 60, at / 60 % 60, at / 3600];
        // Towards the back along y: air, skin, liver, with a ball in it.
        let away = [x.abs_diff(30), y.abs_diff(30), z.abs_diff(20)]
            .map(|n| n * n)
            .iter()
            .sum::<usize>();
        match y {
            0..4 => 0,
            4..6 => 1,
            _ if away < 36 => 3,
            _ => 2,
        }
    };
    header.bytes().chain((0..60 * 60 * 40).map(label)).collect()
}

#[test]
fn a_label_volume_is_drawn_with_its_materials() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let path = |name: &str| {
        scratch
            .path()
            .join(name)
            .to_str()
            .expect("a path of letters")
            .to_owned()
    };
    std::fs::write(path("own.nrrd"), label_volume()).expect("the folder can be written");
    let table = "[labels]\n0 = \"air\"\n1 = \"skin\"\n2 = \"liver\"\n3 = { name = \"tumour\", like = \"liver\", backscatter = 6 }\n";
    std::fs::write(path("own.toml"), table).expect("the folder can be written");
    let (labels, materials, output) = (path("own.nrrd"), path("own.toml"), path("seen"));
    let small = [
        "--lines",
        "64",
        "--samples",
        "256",
        "--size",
        "128",
        "--indentation",
        "0.004",
    ];
    let own = ["image", "--labels", &labels, "--materials", &materials];
    let figures = json(
        &[
            &own[..],
            &small,
            &[
                "--lesion",
                "cyst:0.005",
                "--dicom",
                "--iq",
                "--output",
                &output,
            ],
        ]
        .concat(),
    );
    let layers = figures["middle_line"].as_array().expect("a list");
    let names: Vec<&str> = layers
        .iter()
        .filter_map(|layer| layer["material"].as_str())
        .collect();
    assert!(
        names.starts_with(&["skin", "liver", "tumour", "liver"]),
        "{figures}"
    );
    // The middle of the volume, in metres towards the left and the head.
    let site = figures["site_m"].as_array().expect("a pair");
    let near = |found: &serde_json::Value, wanted: f64| {
        (found.as_f64().expect("a number") - wanted).abs() < 1e-4
    };
    assert!(
        near(&site[0], 0.14425) && near(&site[1], -0.67075),
        "{figures}"
    );
    assert_eq!(figures["lesions"][0]["material"], "cyst", "{figures}");
    for name in [
        "b_mode.png",
        "figure.png",
        "labels.png",
        "confidence.png",
        "b_mode.dcm",
        "iq.nrrd",
    ] {
        assert!(scratch.path().join("seen").join(name).is_file(), "{name}");
    }
    let message = refused(
        &format!("image --labels {labels} --materials {materials} --site 9,9"),
        2,
    );
    assert!(message.contains("site"), "{message}");
    std::fs::write(path("own.toml"), "[labels]\n0 = \"air\"\n1 = \"skn\"")
        .expect("the folder can be written");
    let message = refused(
        &format!("image --labels {labels} --materials {materials}"),
        2,
    );
    assert!(
        message.contains("own.toml") && message.contains("did you mean \"skin\""),
        "{message}"
    );
    std::fs::write(path("own.toml"), "[labels]\n0 = \"air\"\n1 = \"skin\"")
        .expect("the folder can be written");
    let message = refused(
        &format!("image --labels {labels} --materials {materials}"),
        2,
    );
    assert!(
        message.contains("2 (") && message.contains("3 ("),
        "{message}"
    );
}
