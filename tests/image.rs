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
    let confidence = figures["confidence_mean"].as_f64().expect("a number");
    assert!((0.05..0.95).contains(&confidence), "{figures}");
    for name in ["b_mode.png", "labels.png", "confidence.png", "image.json"] {
        assert!(scratch.path().join(name).is_file(), "{name}");
    }
}

#[test]
fn a_robot_presses_harder_and_the_layers_get_thinner() {
    let pressed = |force: &str| {
        let small = ["--lines", "64", "--samples", "1024"];
        json(
            &[
                &["image", "--site", "-0.06,-0.02", "--force", force],
                &small[..],
            ]
            .concat(),
        )
    };
    let (light, firm) = (pressed("2"), pressed("12"));
    let number =
        |figures: &serde_json::Value, name: &str| figures[name].as_f64().expect("a number");
    for (figures, wanted) in [(&light, 2.0), (&firm, 12.0)] {
        assert!(
            (number(figures, "force_n") - wanted).abs() < 0.1,
            "{figures}"
        );
    }
    // Tissue of 1324 N/m gives way by some 8 mm for 10 N more.
    let deeper = number(&firm, "indentation_m") - number(&light, "indentation_m");
    assert!((0.005..0.012).contains(&deeper), "{deeper}");
    assert!(number(&firm, "contact_share") > number(&light, "contact_share") + 0.1);
    // Skin, fat and muscle, which end some 25 mm below the skin: what fades to 1/e over 35 mm takes half of the indentation from them.
    let wall = |figures: &serde_json::Value| {
        let layers = figures["middle_line"].as_array().expect("a list");
        let wall = layers
            .iter()
            .take_while(|layer| layer["material"] != "liver");
        let thickness = wall.map(|layer| number(layer, "thickness_m"));
        thickness.sum::<f64>()
    };
    let thinner = wall(&light) - wall(&firm);
    assert!(
        (0.3 * deeper..0.7 * deeper).contains(&thinner),
        "{thinner} of {deeper}"
    );
}

#[test]
fn a_scan_is_filmed_and_compounded() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let output = scratch.path().to_str().expect("a path of letters");
    let path = ["--from", "-0.06,-0.02", "--to", "-0.06,-0.005"];
    let scan = [
        "scan",
        "--patient",
        "adult",
        "--b-mode",
        "--no-pictures",
        "--speed",
        "0.05",
    ];
    json(&[&scan[..], &path, &["--output", output]].concat());
    let film = std::fs::read(scratch.path().join("b_mode.gif")).expect("there is a film");
    assert!(film.starts_with(b"GIF89a"));
    let volume = std::fs::read(scratch.path().join("b_mode.nrrd")).expect("there is a volume");
    let end = volume.windows(2).position(|pair| pair == b"\n\n");
    let (header, voxels) = volume.split_at(end.expect("a header ends") + 2);
    let header = String::from_utf8_lossy(header);
    let sizes = header.lines().find_map(|line| line.strip_prefix("sizes: "));
    let sizes = sizes.expect("sizes").split(' ');
    let sizes: Vec<usize> = sizes.map(|n| n.parse().expect("a number")).collect();
    assert_eq!(sizes.iter().product::<usize>(), voxels.len(), "{header}");
    assert!(sizes.iter().all(|n| (10..400).contains(n)), "{header}");
    let message = refused("scan --b-mode --no-pictures", 2);
    assert!(message.contains("--patient adult"), "{message}");
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
        ("image --force 100", "force"),
        ("image --force 5 --torso none", "torso"),
        ("image --force 5 --probe p4-2", "probe"),
        ("image --force 5 --shape box", "shape"),
        ("image --force 5 --indentation 0.01", "indentation"),
        ("image --force 5 --phantom cysts", "phantom"),
    ] {
        let message = refused(arguments, 2);
        assert!(message.contains(named), "{arguments}: {message}");
    }
}
