//! Contract: `insonate image --strain` shows how much stiffer an inclusion is, and refuses what it would have no effect on.

mod command;

use command::json;

const BLOCK: [&str; 9] = [
    "image",
    "--phantom",
    "inclusion",
    "--strain",
    "--lines",
    "128",
    "--samples",
    "1024",
    "--probe",
];

/// Strain of a ball over that far away under a uniaxial stress (Eshelby 1957), for ν = 0.45 and a ratio of moduli.
fn eshelby(ratio: f64) -> f64 {
    let nu = 0.45;
    let beta = 2.0 * (4.0 - 5.0 * nu) / (15.0 * (1.0 - nu));
    let alpha = (1.0 + nu) / (3.0 * (1.0 - nu));
    2.0 / 3.0 * (1.0 + nu) / (1.0 + beta * (ratio - 1.0))
        + (1.0 - 2.0 * nu) / 3.0 / (1.0 + alpha * (ratio - 1.0))
}

/// The ball's strain over the plates' within 12 % of the solution without plates, elements, waves and windows.
#[test]
fn an_inclusion_is_seen_by_its_stiffness_alone() {
    let figures = |more: &[&str]| json(&[&BLOCK[..], more].concat());
    let number = |figures: &serde_json::Value, name: &str| figures[name].as_f64().expect(name);
    for (ratio, word) in [(3.0, "3"), (0.4, "0.4")] {
        let found = figures(&["l12-5", "--stiffness-ratio", word]);
        assert!(number(&found, "cnr_e") > 2.0, "{found}");
        let strain = number(&found, "inclusion_strain") / number(&found, "compression");
        let wanted = eshelby(ratio);
        assert!(
            (strain / wanted - 1.0).abs() < 0.12,
            "{ratio}: {strain} {wanted}"
        );
        let aside = number(&found, "background_strain") / number(&found, "compression");
        assert!((aside - 1.0).abs() < 0.06, "{found}");
        assert!(number(&found, "strain_correlated_share") > 0.8, "{found}");
    }
    let alike = figures(&["l12-5", "--stiffness-ratio", "1"]);
    assert!(number(&alike, "cnr_e") < 0.5, "{alike}");
    // The probe of the scene, with wider beams and longer pulses.
    let curved = figures(&["c5-2"]);
    assert!(number(&curved, "cnr_e") > 2.0, "{curved}");
}

#[test]
fn the_strain_is_written_as_picture_and_numbers() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let output = scratch.path().to_str().expect("a path of letters");
    let files = ["l12-5", "--output", output, "--size", "200"];
    json(&[&BLOCK[..], &files].concat());
    let file = std::fs::read(scratch.path().join("strain.png")).expect("it is written");
    let width = u32::from_be_bytes([file[16], file[17], file[18], file[19]]);
    // B-mode, strain and a scale.
    assert!(width > 400, "{width}");
    let file = std::fs::read(scratch.path().join("strain.nrrd")).expect("it is written");
    let end = file
        .windows(2)
        .position(|pair| pair == b"\n\n")
        .expect("a header")
        + 2;
    let header = String::from_utf8_lossy(&file[..end]).into_owned();
    let sizes = header.lines().find_map(|line| line.strip_prefix("sizes: "));
    let sizes = sizes
        .expect("sizes")
        .split(' ')
        .map(|n| n.parse().expect("a number"));
    let sizes: Vec<usize> = sizes.collect();
    assert_eq!((sizes[0], sizes[2]), (3, 128), "{header}");
    assert_eq!(file.len() - end, 4 * sizes.iter().product::<usize>());
}

#[test]
fn strain_without_two_loads_is_refused() {
    let refused = |arguments: &[&str], words: &str| {
        let line = command::refused(arguments, 2);
        assert!(line.contains(words), "{line}");
    };
    refused(&["image", "--strain"], "--phantom inclusion");
    let cysts = ["image", "--phantom", "cysts"];
    refused(
        &[&cysts[..], &["--strain"]].concat(),
        "--strain has no effect",
    );
    refused(
        &[&cysts[..], &["--radius", "0.004"]].concat(),
        "--phantom rod or inclusion",
    );
    let inclusion = ["image", "--phantom", "inclusion"];
    refused(
        &[&inclusion[..], &["--stiffness-ratio", "2"]].concat(),
        "--strain",
    );
    let force = ["image", "--force", "5", "--strain-force"];
    refused(&[&force[..], &["6"]].concat(), "--strain");
    refused(&[&force[..], &["5", "--strain"]].concat(), "differ");
    let strain = [&inclusion[..], &["--strain"]].concat();
    refused(
        &[&strain[..], &["--radius", "0.02"]].concat(),
        "radius of the inclusion",
    );
    refused(
        &[&strain[..], &["--stiffness-ratio", "0"]].concat(),
        "stiffness ratio",
    );
}
