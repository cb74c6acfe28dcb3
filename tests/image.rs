//! Contract: `insonate image` measures its test blocks, draws patients, and refuses what cannot be imaged.

mod command;

use command::{json, refused};

#[test]
fn test_blocks_are_measured() {
    let small = ["--probe", "l12-5", "--lines", "128", "--samples", "512"];
    let measured = |phantom: &[&str]| json(&[&["image", "--phantom"], phantom, &small].concat());
    let points = measured(&["points", "--depths", "0.015,0.03"]);
    let targets = points["point_targets"].as_array().expect("a list");
    assert_eq!(targets.len(), 2);
    for target in targets {
        let lateral = target["lateral_fwhm_m"].as_f64().expect("a number");
        assert!((1e-4..1e-3).contains(&lateral), "{target}");
    }
    let speckle = measured(&["speckle"]);
    let snr = speckle["snr"].as_f64().expect("a number");
    assert!((snr - 1.91).abs() < 0.08, "{speckle}");
    let fading = measured(&["attenuation", "--alpha", "0.6"]);
    let slope = fading["slope_db_per_cm_mhz"].as_f64().expect("a number");
    assert!((slope / 0.6 - 1.0).abs() < 0.04, "{fading}");
}

#[test]
fn a_patient_is_drawn_with_the_materials_beside() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let output = scratch.path().to_str().expect("a path of letters");
    let patient = [
        "image",
        "--patient",
        "adult",
        "--seed",
        "3",
        "--site",
        "-0.09,-0.035",
    ];
    let small = [
        "--lines",
        "64",
        "--samples",
        "256",
        "--size",
        "128",
        "--output",
        output,
    ];
    let figures = json(&[&patient[..], &small].concat());
    assert!(
        figures["contact_share"].as_f64().expect("a number") > 0.9,
        "{figures}"
    );
    for name in ["b_mode.png", "labels.png", "image.json"] {
        assert!(scratch.path().join(name).is_file(), "{name}");
    }
}

#[test]
fn what_cannot_be_imaged_is_refused_by_name() {
    for (arguments, named) in [
        ("image --site 2,0", "site"),
        ("image --lines 0", "n_lines"),
        ("image --probe x", "l12-5"),
        ("image --phantom points --depths 9", "depth"),
        ("image --phantom attenuation --alpha -1", "alpha"),
        ("image --indentation 0.5", "indentation"),
    ] {
        let message = refused(arguments, 2);
        assert!(message.contains(named), "{arguments}: {message}");
    }
}
