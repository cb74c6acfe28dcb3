//! Contract: `softness.toml` reads back as written, equal numbers give equal bytes, and errors name the file and key.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::io::Write as _;

use insonate_calibration::softness::{
    LogEntry, LogParameter, MujocoEntry, PooledEntry, RatioEntry, SceneEntry, SoftnessFile,
    TuningResult,
};

const MINIMAL: &str = "format = 1\n[pooled.stiffness]\nmean = 900\n[pooled.damping]\nmean = 12.5\n";

fn parse(text: &str) -> Result<SoftnessFile, String> {
    SoftnessFile::parse(text, "soft.toml").map_err(|error| error.to_string())
}

/// A file with all entries; its numbers have few digits, so that writing does not round them.
fn full() -> SoftnessFile {
    let pooled = |unit: &str, mean: f64| PooledEntry {
        unit: unit.to_owned(),
        mean,
        sd: Some(0.125 * mean),
        ci95: Some([0.875 * mean, 1.125 * mean]),
        range: Some([0.75 * mean, 1.25 * mean]),
        randomisation: Some([0.5 * mean, 1.5 * mean]),
    };
    let mut file = parse(MINIMAL).unwrap();
    "insonate 0".clone_into(&mut file.generator);
    "divided".clone_into(&mut file.model);
    file.n_sites = 1;
    file.pooled
        .insert("stiffness".to_owned(), pooled("N/m", 1500.0));
    file.pooled
        .insert("damping".to_owned(), pooled("N·s/m", 20.0));
    file.pooled.insert("aux".to_owned(), pooled("", 2.0));
    file.ratio = Some(RatioEntry {
        value: 75.0,
        ci95: [50.0, f64::INFINITY],
    });
    file.mujoco = Some(MujocoEntry {
        mass: 0.5,
        solref: [-3000.0, -40.0],
    });
    let mut log = LogEntry {
        file: "odd \"name\"\n[pooled.stiffness]\nmean = 1.csv".to_owned(),
        sha256: "00ff".to_owned(),
        format: "csv".to_owned(),
        columns: vec!["time_s as time [s]".to_owned()],
        window_s: Some([0.5, 2.25]),
        force_bias_n: Some(-1.118),
        n: 1000,
        r_squared: Some(0.859),
        rmse_n: Some(0.1),
        ..LogEntry::default()
    };
    let fitted = LogParameter {
        value: 1500.0,
        ci95: [1450.0, 1550.0],
    };
    log.parameters.insert("stiffness".to_owned(), fitted);
    log.unidentifiable
        .insert("damping".to_owned(), "too slow".to_owned());
    file.logs.push(log);
    let scene = SceneEntry {
        stiffness: 800.0,
        damping: 4.0,
        shape: Some("cylinder".to_owned()),
        count: Some([9, 4, 11]),
        spacing: Some(0.035),
        soft_layers: None,
        parameters: [("dmax".to_owned(), 0.9)].into(),
        achieved: Some(TuningResult {
            stiffness: 1490.0,
            damping: 20.5,
            stiffness_error: -0.0067,
            damping_error: 0.025,
            reached: true,
        }),
    };
    file.scene.insert("fast".to_owned(), scene);
    file
}

#[test]
fn a_written_file_reads_back() {
    let file = full();
    let text = file.to_toml();
    assert_eq!(parse(&text).unwrap(), file, "{text}");
    assert_eq!(parse(&text).unwrap().to_toml(), text);
}

#[test]
fn the_text_is_for_people() {
    insta::assert_snapshot!(full().to_toml());
}

#[test]
fn a_hand_written_file_is_enough() {
    let file = parse(MINIMAL).unwrap();
    assert_eq!(file.stiffness_and_damping(), Some([900.0, 12.5]));
    assert_eq!(parse("format = 1").unwrap().stiffness_and_damping(), None);
}

#[test]
fn errors_name_the_key() {
    for (text, problem) in [
        ("", "missing field `format`"),
        ("format = 2", "format = 2 is unknown"),
        ("format = 1\nstifness = 3", "unknown field `stifness`"),
        (
            "format = 1\n[pooled.stiffness]\nmean = -5",
            "pooled.stiffness.mean is -5; it must be",
        ),
        (
            "format = 1\n[pooled.damping]\nmean = nan",
            "pooled.damping.mean is NaN",
        ),
        (
            "format = 1\n[pooled.stiffness]\nmean = 5\nunit = \"N/mm\"",
            "numbers are in N/m",
        ),
        (
            "format = 1\n[pooled.kappa]\nmean = 5\nci95 = [2, 1]",
            "pooled.kappa.ci95 is [2, 1]",
        ),
        (
            "format = 1\n[pooled.stiffness]\nmean = 5\nsd = -1",
            "pooled.stiffness.sd is -1",
        ),
        (
            "format = 1\n[pooled.stiffness]\nmean = 5\nrandomisation = [0, 9]",
            "pooled.stiffness.randomisation is 0",
        ),
        ("format = 1\n[mujoco]\nmass = 1\nsolref = [5, -1]", "solref"),
        (
            "format = 1\n[scene.fast]\nstiffness = inf\ndamping = 1",
            "scene.fast.stiffness is inf",
        ),
        (
            "format = 1\n[scene.fast]\nstiffness = 1\ndamping = 1\nparameters.x = nan",
            "scene.fast.parameters.x",
        ),
        ("format = 1\nformat = 1", "soft.toml, line 2: duplicate key"),
        ("format = \"one\"", "soft.toml, line 1: invalid type"),
    ] {
        let error = parse(text).unwrap_err();
        assert!(
            error.starts_with("soft.toml") && error.contains(problem),
            "{text}: {error}"
        );
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn a_missing_or_foreign_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::File::create(&path)
            .unwrap()
            .write_all(bytes)
            .unwrap();
        SoftnessFile::read(&path).map_err(|error| error.to_string())
    };
    assert!(write("good.toml", MINIMAL.as_bytes()).is_ok());
    assert!(
        write("binary.toml", &[0xff, 0xfe, 0])
            .unwrap_err()
            .contains("not a text file")
    );
    assert!(
        write("large.toml", &vec![b'#'; (1 << 20) + 1])
            .unwrap_err()
            .contains("larger than 1 MiB")
    );
    assert!(write("deep.toml", "[".repeat(100_000).as_bytes()).is_err());
    let missing = SoftnessFile::read(&folder.path().join("missing.toml")).unwrap_err();
    assert!(missing.to_string().contains("missing.toml"));
}
