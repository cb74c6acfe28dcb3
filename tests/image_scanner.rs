//! Contract: `insonate image` has a scanner's settings and arrays of one's own, tells them, and refuses those without effect.

mod command;

use command::{json, refused};

#[test]
fn settings_of_the_scanner_and_the_place_of_pixels_are_told() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let output = scratch.path().to_str().expect("a path of letters");
    let block = ["image", "--phantom", "cysts", "--probe", "l12-5"];
    let small = ["--lines", "64", "--samples", "256", "--size", "128"];
    let usual = json(&[&block[..], &small].concat());
    let settings = &usual["settings"];
    assert_eq!(settings["transmit_frequency_hz"], 8.18e6);
    assert_eq!(settings["focus_m"], serde_json::json!([0.025]));
    assert_eq!(settings["gain_db"], 0.0);
    assert_eq!(settings["tgc"], serde_json::json!([]));
    assert_eq!(settings["grey_map"], "linear");
    assert_eq!(settings["array"]["elements"], 256);
    let set = [
        "--transmit-frequency",
        "6e6",
        "--focus",
        "0.015,0.035",
        "--transmit-f-number",
        "3",
        "--receive-f-number",
        "2",
        "--gain",
        "-4",
        "--tgc",
        "0,-2,3",
        "--dynamic-range",
        "70",
        "--grey-map",
        "s-curve",
        "--receiver-noise",
        "-60",
        "--output",
        output,
    ];
    let figures = json(&[&block[..], &small, &set].concat());
    let settings = &figures["settings"];
    for (name, wanted) in [
        ("transmit_frequency_hz", serde_json::json!(6e6)),
        ("focus_m", serde_json::json!([0.015, 0.035])),
        ("transmit_f_number", serde_json::json!(3.0)),
        ("receive_f_number", serde_json::json!(2.0)),
        ("gain_db", serde_json::json!(-4.0)),
        ("dynamic_range_db", serde_json::json!(70.0)),
        ("grey_map", serde_json::json!("s-curve")),
        ("receiver_noise_db", serde_json::json!(-60.0)),
        (
            "tgc",
            serde_json::json!([
                {"depth_m": 0.0, "gain_db": 0.0},
                {"depth_m": 0.025, "gain_db": -2.0},
                {"depth_m": 0.05, "gain_db": 3.0}
            ]),
        ),
    ] {
        assert_eq!(settings[name], wanted, "{name}");
    }
    let text = std::fs::read_to_string(scratch.path().join("image.json")).expect("it is there");
    let written: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(written["settings"], *settings);
    // The square shows 50 mm; its columns lie along the array, its rows along the beam, and the face's middle is at the origin.
    let pixel = figures["pixel_m"].as_f64().expect("a number");
    assert!((pixel - 0.05 / 128.0).abs() < 1e-6, "{figures}");
    let matrix = &figures["world_from_image"];
    let entry = |row: usize, column: usize| matrix[row][column].as_f64().expect("a number");
    let at = |column: f64, row: f64| {
        [0, 1, 2].map(|axis| entry(axis, 0) * column + entry(axis, 1) * row + entry(axis, 3))
    };
    for (place, wanted) in [
        ([63.5, -0.5], [0.0, 0.0, 0.0]),
        ([63.5, 127.5], [0.0, 0.0, 0.05]),
        ([127.5, 63.5], [0.025, 0.0, 0.025]),
    ] {
        let found = at(place[0], place[1]);
        for axis in 0..3 {
            assert!((found[axis] - wanted[axis]).abs() < 1e-4, "{found:?}");
        }
    }
}

#[test]
fn settings_of_the_scanner_without_effect_are_refused() {
    let cases: [(&[&str], &str); 12] = [
        (
            &["--phantom", "points", "--tgc", "0,3"],
            "--tgc has no effect",
        ),
        (
            &["--phantom", "rod", "--receiver-noise", "-60"],
            "--receiver-noise has no effect",
        ),
        (
            &["--phantom", "speckle", "--tgc", "0,3"],
            "--tgc has no effect",
        ),
        (
            &["--phantom", "cysts", "--gain", "3"],
            "--gain has no effect",
        ),
        (
            &["--phantom", "points", "--dynamic-range", "50"],
            "--dynamic-range has no effect",
        ),
        (&["--grey-map", "gamma"], "--grey-map has no effect"),
        (
            &["--transmit-frequency", "9e6"],
            "transmit frequency is 9000000; it must be between",
        ),
        (&["--views", "3"], "linear arrays only"),
        (
            &["--phantom", "points", "--probe", "l12-5", "--views", "3"],
            "--views has no effect",
        ),
        (
            &[
                "--phantom",
                "inclusion",
                "--probe",
                "l12-5",
                "--views",
                "3",
                "--strain",
            ],
            "--views with --strain has no effect",
        ),
        (&["--tgc", "0.1=2,0.05=3"], "depth of tgc is 0.05"),
        (&["--focus", "0.7"], "transmit focus is 0.7"),
    ];
    for (options, wanted) in cases {
        let told = refused(&[&["image"][..], options].concat(), 2);
        assert!(told.contains(wanted), "{options:?}: {told}");
    }
    let scan = refused(
        &["scan", "--patient", "adult", "--gain", "3", "--no-pictures"],
        2,
    );
    assert!(
        scan.contains("--gain has no effect without the B-mode image"),
        "{scan}"
    );
}

#[test]
fn an_array_of_ones_own_images_as_the_probe_of_its_numbers() {
    let small = ["--lines", "64", "--samples", "256", "--size", "64"];
    let points = ["image", "--phantom", "points", "--depths", "0.03"];
    let array = "elements=128,pitch=0.508e-3,radius=49.57e-3,element-width=0.46e-3,frequency=3.57e6,bandwidth=0.78992,elevation=13.5e-3,elevation-focus=60e-3";
    let own = json(&[&points[..], &["--array", array], &small].concat());
    let c5_2 = json(&[&points[..], &small].concat());
    for name in ["lateral_fwhm_m", "axial_fwhm_m", "elevation_fwhm_m"] {
        let [own, known] = [&own, &c5_2].map(|figures| {
            let figure = figures["point_targets"][0][name].as_f64();
            figure.expect("a number")
        });
        assert!((own / known - 1.0).abs() < 0.005, "{name}: {own} {known}");
    }
    assert_eq!(own["settings"]["array"]["kind"], "curved");
    let told = refused(&["image", "--array", array, "--probe", "l12-5"], 2);
    assert!(told.contains("--array"), "{told}");
}
