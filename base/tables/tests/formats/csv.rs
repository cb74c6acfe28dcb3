//! Contract: text logs are read with any delimiter, header, line ends and units; errors name the row, the column and
//! what to do.

use std::fmt::Write as _;

use insonate_tables::{Channel, Format, Log, Motion, ReadOptions, read, read_bytes};

use super::{options, refused, scalar};

fn csv(text: &str) -> Result<Log, String> {
    with(text, "", "", None)
}

fn with(text: &str, columns: &str, units: &str, rate: Option<f64>) -> Result<Log, String> {
    let options = ReadOptions {
        units: units.parse().unwrap(),
        ..options(columns, rate)
    };
    read_bytes("log.csv", Format::Csv, text.as_bytes(), &options).map_err(|error| error.to_string())
}

fn indentation(log: &Log) -> &[f64] {
    match &log.motion {
        Motion::Indentation(values) => values,
        Motion::Position(_) => panic!("a position"),
    }
}

const PLAIN: &str = "time_s,indentation_m,velocity_m_s,force_n\n0,0.001,0.1,1\n0.002,0.0012,0.2,-2.5\n0.004,0.0014,0.3,3e0\n";

#[test]
fn a_log_is_read_by_its_header() {
    let log = csv(PLAIN).unwrap();
    assert_eq!(log.time, [0.0, 0.002, 0.004]);
    assert_eq!(indentation(&log), [0.001, 0.0012, 0.0014]);
    assert_eq!(scalar(log.velocity.as_ref().unwrap()), [0.1, 0.2, 0.3]);
    assert_eq!(scalar(&log.force), [1.0, -2.5, 3.0]);
    assert_eq!(log.source.format, "csv");
    assert_eq!(log.source.columns[0], "time: column 1 \"time_s\" [s]");
}

/// The hash equals the output of `sha256sum` for the same bytes.
#[test]
fn the_hash_matches_the_file() {
    let log = csv("t_s,depth_mm,f_n\n0,0,0\n1,1,1\n2,2,2\n").unwrap();
    assert_eq!(
        log.source.sha256,
        "ad6f83bb31e7f96e44dcc5084869a7f3e59a84822fcf63870d008ac80db4a94e"
    );
}

#[test]
fn every_delimiter_line_end_and_mark_gives_the_same_log() {
    let log = csv(PLAIN).unwrap();
    let variants = [
        PLAIN.replace(',', ";"),
        PLAIN.replace(',', "\t"),
        PLAIN.replace(',', " "),
        PLAIN.replace(',', "   "),
        PLAIN.replace('\n', "\r\n"),
        PLAIN.replace(',', " , "),
        format!("\u{feff}{PLAIN}"),
        format!("# simulated: yes\n#\n\n{PLAIN}\n\n"),
        format!("# {PLAIN}"),
        PLAIN.trim_end().to_owned(),
        PLAIN.replace("0.0012", "\"0.0012\""),
        PLAIN.replace("time_s", "\"time_s\""),
        PLAIN.replace("\n0.002", "\n# a word between\n0.002"),
    ];
    for text in variants {
        let other = csv(&text).unwrap_or_else(|error| panic!("{error} in {text:?}"));
        assert!(
            other
                .source
                .notes
                .iter()
                .all(|note| !note.contains("time_s"))
        );
        assert_eq!(
            (other.time, other.motion, other.velocity, other.force),
            (
                log.time.clone(),
                log.motion.clone(),
                log.velocity.clone(),
                log.force.clone()
            ),
            "{text:?}"
        );
    }
}

#[test]
fn rows_are_counted_as_an_editor_does() {
    for end in ["\n", "\r\n"] {
        for last in ["", "\n0.01,0.002,0.1,2\n"] {
            let mut text =
                "# one\n\n# three\ntime_s,indentation_m,velocity_m_s,force_n\n".to_owned();
            for row in 5..40_000 {
                let _ = writeln!(text, "{},0.001,0.1,1", f64::from(row) * 1e-3);
            }
            text.push_str("1,0.001,0.1,wrong");
            text.push_str(last);
            let text = text.replace('\n', end);
            refused(csv(&text), &["row 40000", "column 4 \"force_n\"", "wrong"]);
        }
    }
}

#[test]
fn a_log_is_read_from_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("press.csv");
    std::fs::write(&path, PLAIN).unwrap();
    let log = read(&path, &ReadOptions::default()).unwrap();
    assert_eq!(log.len(), 3);
    assert_eq!(log.name(), "press");
}

#[test]
fn units_are_converted_once_and_reported() {
    let text =
        "Time (ms),Force [mN],penetration_mm,velocity_mm_s\n0,1500,3,20\n2,-1,7,21\n4,0,12,22\n";
    let log = csv(text).unwrap();
    assert_eq!(log.time, [0.0, 0.002, 0.004]);
    assert_eq!(indentation(&log), [0.003, 0.007, 0.012]);
    assert_eq!(scalar(&log.force), [1.5, -0.001, 0.0]);
    assert_eq!(
        scalar(log.velocity.as_ref().unwrap()),
        [0.020, 0.021, 0.022]
    );
    assert!(
        log.source
            .columns
            .contains(&"force: column 2 \"Force [mN]\" [mN → N]".to_owned()),
        "{:?}",
        log.source.columns
    );
}

#[test]
fn units_that_contradict_the_header_are_refused() {
    refused(
        with(PLAIN, "", "indentation=mm", None),
        &["--units", "indentation=mm", "\"indentation_m\"", "says m"],
    );
    with(PLAIN, "", "indentation=m,force=N", None).unwrap();
    refused(
        csv("time,indentation,Force [V]\n0,0,0\n1,0,0\n2,0,0\n"),
        &["\"V\"", "force", "--units"],
    );
    with(
        "time_s,indentation,Force [V]\n0,0,0\n1,0,0\n2,0,0\n",
        "",
        "force=N",
        None,
    )
    .unwrap();
}

#[test]
fn columns_are_given_by_number_or_name() {
    let bare = "0,9,1,20,5\n2,9,2,30,6\n4,9,3,40,7\n";
    let log = with(
        bare,
        "time=1,indentation=3,velocity=4,force=5",
        "time=ms,indentation=mm,velocity=mm/s,force=N",
        None,
    )
    .unwrap();
    assert_eq!(log.time, [0.0, 0.002, 0.004]);
    assert_eq!(indentation(&log), [0.001, 0.002, 0.003]);
    assert_eq!(scalar(&log.force), [5.0, 6.0, 7.0]);

    let named = format!("a,b,c,d,e\n{bare}");
    let same = with(
        &named,
        "time=a,indentation=C,velocity=d,force=e",
        "time=ms,indentation=mm,velocity=mm/s,force=N",
        None,
    )
    .unwrap();
    assert_eq!(
        (same.time, same.motion, same.force),
        (log.time, log.motion, log.force)
    );
    refused(
        with(&named, "time=a,indentation=depth,force=e", "", None),
        &["indentation=depth", "a, b, c, d, e"],
    );
    refused(
        with(bare, "time=1,indentation=6,force=5", "", None),
        &["indentation=6", "5 columns"],
    );
    refused(csv(bare), &["--columns", "5 columns"]);
}

#[test]
fn a_given_rate_replaces_the_time_column() {
    let text = "indentation_m,force_n\n0,0\n0.001,1\n0.002,2\n";
    assert_eq!(
        with(text, "", "", Some(500.0)).unwrap().time,
        [0.0, 0.002, 0.004]
    );
    refused(csv(text), &["no time", "--rate"]);
    let log = with(PLAIN, "", "", Some(100.0)).unwrap();
    assert_eq!(log.time, [0.0, 0.01, 0.02]);
    assert!(
        log.source.notes[0].contains("--rate 100"),
        "{:?}",
        log.source.notes
    );
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(with(PLAIN, "", "", Some(rate)), &["--rate"]);
    }
}

/// Headers of other recorders, with the expected numbers of components of position, force and velocity.
#[test]
fn common_names_are_known() {
    let scalar = |channel: &Channel| match channel {
        Channel::Scalar(_) => 1,
        Channel::Vector(_) => 3,
    };
    let cases = [
        ("t,depth_mm,f", (0, 1, 0)),
        ("Time (ms);Penetration [mm];Normal Force [N]", (0, 1, 0)),
        ("timestamp_ns,x,y,z,fx,fy,fz", (3, 3, 0)),
        (
            "elapsed_ms,tcp_x,tcp_y,tcp_z,vx,vy,vz,Force X,Force Y,Force Z",
            (3, 3, 3),
        ),
        ("time_s,position_z_mm,velocity_z_mm_s,force_z_n", (1, 1, 1)),
        ("time_s,pos,vel,force_x,force_y,force_z", (1, 1, 1)),
        (
            "time_s,position_x_m,position_y_m,position_z_m,velocity_m_s,force_n",
            (3, 1, 0),
        ),
        (
            "time_s,torque_x,f,indentation_velocity_mm_s,indentation_mm",
            (0, 1, 1),
        ),
    ];
    for (header, (position, force, velocity)) in cases {
        let delimiter = if header.contains(';') { ';' } else { ',' };
        let row: Vec<&str> = header.split(delimiter).map(|_| "0").collect();
        let row = row.join(&delimiter.to_string());
        let log = csv(&format!("{header}\n{row}\n{row}\n{row}\n")).unwrap();
        let of_motion = match &log.motion {
            Motion::Indentation(_) => 0,
            Motion::Position(channel) => scalar(channel),
        };
        let of_velocity = log.velocity.as_ref().map_or(0, scalar);
        assert_eq!(
            (of_motion, scalar(&log.force), of_velocity),
            (position, force, velocity),
            "{header}"
        );
    }
    for header in [
        "time,depth,torque",
        "time,reach,force",
        "tx,ty,tz",
        "name,max,index",
    ] {
        refused(
            csv(&format!("{header}\n0,0,0\n0,0,0\n0,0,0\n")),
            &["--columns"],
        );
    }
}

#[test]
fn a_velocity_whose_unit_contradicts_the_motion_is_refused() {
    use std::f64::consts::TAU;
    let log = |velocity: f64| {
        let mut text = "time_s,indentation_m,velocity,force_n\n".to_owned();
        for i in 0..200 {
            let t = f64::from(i) * 0.002;
            let (sin, cos) = (TAU * 5.0 * t).sin_cos();
            let v = 0.002 * TAU * 5.0 * cos * velocity;
            let _ = writeln!(text, "{t},{},{v},0", 0.005 + 0.002 * sin);
        }
        text
    };
    for fits in [1.0, -1.0, 1.07, 0.0] {
        csv(&log(fits)).unwrap();
    }
    for wrong in [1e3, 100.0, -100.0, 1e-3] {
        let message = csv(&log(wrong)).unwrap_err();
        assert!(
            ["velocity", "--units"]
                .iter()
                .all(|word| message.contains(word)),
            "{message}"
        );
    }
    with(&log(100.0), "", "velocity=cm/s", None).unwrap();
}

const PRESS: &str = "time_s,position_x_m,position_y_m,position_z_m,velocity_x_m_s,velocity_y_m_s,velocity_z_m_s,force_x_n,force_y_n,force_z_n";

#[test]
fn positions_velocities_and_forces_are_vectors() {
    let text = format!(
        "# simulated: yes\n{PRESS}\n{}",
        "0,1,2,3,4,5,6,7,8,9\n".repeat(3)
    );
    let log = csv(&text).unwrap();
    assert_eq!(
        log.motion,
        Motion::Position(Channel::Vector(vec![[1.0, 2.0, 3.0]; 3]))
    );
    assert_eq!(
        log.velocity,
        Some(Channel::Vector(vec![[4.0, 5.0, 6.0]; 3]))
    );
    assert_eq!(log.force, Channel::Vector(vec![[7.0, 8.0, 9.0]; 3]));
    assert_eq!(log.source.notes, ["the file says: simulated: yes"]);

    let plain = "0,1,2,3,4,5,6\n".repeat(3);
    let log = with(&plain, "time=1,position=2:3:4,force=5:6:7", "", None).unwrap();
    assert_eq!(log.force, Channel::Vector(vec![[4.0, 5.0, 6.0]; 3]));
    refused(
        with(&plain, "time=1,position=2,force=5:6:7", "", None),
        &["--columns", "force is a vector", "position"],
    );
    refused(
        with(&plain, "time=1,position=2:3:4,velocity=5,force=6", "", None),
        &["velocity is one number", "position"],
    );
}

/// An indentation is preferred to positions; velocities of the probe in space are then left out, and the force along
/// z is used.
#[test]
fn an_indentation_is_preferred_to_positions() {
    let header = PRESS.replacen("time_s", "time_s,phase", 1);
    let text = format!(
        "{header},indentation_m\n{}",
        "0,press,1,2,3,4,5,6,7,8,9,0.01\n".repeat(3)
    );
    let log = csv(&text).unwrap();
    assert_eq!(indentation(&log), [0.01; 3]);
    assert_eq!(log.velocity, None);
    assert_eq!(scalar(&log.force), [9.0; 3]);
    assert_eq!(log.source.notes.len(), 3, "{:?}", log.source.notes);
}

#[test]
fn hostile_files_are_refused_with_advice() {
    let cases: [(&str, &[&str]); 17] = [
        ("", &["is empty"]),
        ("\n\n# only words\n", &["no rows"]),
        ("time_s,indentation_m,force_n\n", &["no rows of numbers"]),
        ("time_s,indentation_m,force_n\n0,0,0\n", &["one row", "3"]),
        ("time_s,indentation_m,force_n\n0,0,0\n1,0,0\n", &["2 rows"]),
        (
            "time_s,indentation_m,force_n\n0,0,0\n1,0,nan\n2,0,0\n",
            &["2 rows"],
        ),
        (
            "time_s,indentation_m,force_n\n0,0,0\n1,-inf,1\n2,0,0\n",
            &["row 3", "\"indentation_m\"", "not finite"],
        ),
        (
            "time_s,indentation_m,force_n\n0,0,0\n1,0,1e999\n2,0,0\n",
            &["row 3", "not finite"],
        ),
        (
            "time_s,indentation_m,force_n\n0,0,0\n1,0\n2,0,0\n",
            &["row 3", "2 cells", "the header has 3"],
        ),
        (
            "time_s,indentation_m,force_n\n0,0,0\n1,0,\n2,0,0\n",
            &["2 rows"],
        ),
        (
            "time_s,indentation_m,force_n\n0,0,0\n1,0,3 N\n2,0,0\n",
            &["row 3", "\"3 N\" is not a number"],
        ),
        (
            "time_s;indentation_m;force_n\n0;0;0\n0,5;0.1;3\n1;0;0\n",
            &["row 3", "decimal point", "alike"],
        ),
        (
            "time_s,indentation_m,force_n\n\"0,002\",\"0,1\",\"3,5\"\n",
            &["one row"],
        ),
        ("time_s,indentation_m\n0,002,0,1\n", &["no column", "force"]),
        (
            "time_s,indentation_m,force_n\n0,002,0,1,0,5\n",
            &["6 cells", "decimal"],
        ),
        (
            "time_s,depth_m,force_n\n0,3,0\n1,4,0\n2,5,0\n",
            &["indentation reaches 5", "0.5 m"],
        ),
        (
            "time_s,depth,force_n\n0,3,0\n1,4,0\n2,5,0\n",
            &["m was assumed", "--units indentation=mm"],
        ),
    ];
    for (text, words) in cases {
        refused(csv(text), words);
    }
    refused(
        csv("time,depth_m,force\n0,0,0\n2,0,0\n4,0,0\n"),
        &["2 s", "--units time=ms"],
    );
    refused(
        csv("time_s,depth_m,force\n0,0,0\n2,0,20000\n4,0,0\n"),
        &["force reaches 20000", "--units force"],
    );
}

#[test]
fn other_file_types_are_recognised() {
    let cases: [(&[u8], &str); 6] = [
        (b"\x93NUMPY\x01\x00", ".npy"),
        (b"PK\x03\x04rest", "zip"),
        (b"PAR1", "Parquet"),
        (b"\x80\x04\x95", "pickle"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"time\x00", "binary"),
    ];
    for (bytes, word) in cases {
        let error = read_bytes("log.csv", Format::Csv, bytes, &ReadOptions::default());
        refused(error.map_err(|error| error.to_string()), &["log.csv", word]);
    }
}

/// An unclosed quotation mark, and a file without line ends, would use all memory.
#[test]
fn endless_rows_are_refused() {
    let start = "time_s,indentation_m,force_n\n0,0,0\n1,1,\"";
    refused(
        csv(&format!("{start}{}", "1,2\n".repeat(1 << 20))),
        &["1 MiB", "quotation"],
    );
    refused(csv(&format!("{PLAIN}{}", "1,".repeat(1 << 20))), &["1 MiB"]);
}

#[test]
fn paths_that_are_not_logs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| {
        read(&folder.path().join(name), &ReadOptions::default()).map_err(|error| error.to_string())
    };
    std::fs::create_dir(folder.path().join("sub.csv")).unwrap();
    for name in ["log.doc", "log.xlsb", "log.xls"] {
        std::fs::write(folder.path().join(name), "x").unwrap();
    }
    std::fs::write(folder.path().join("log.csv"), "").unwrap();
    refused(at("missing.csv"), &["cannot read", "missing.csv"]);
    refused(at("sub.csv"), &["folder"]);
    refused(at("log.doc"), &[".csv", ".npy", ".npz", ".parquet"]);
    let way = "save it as .xlsx or .csv, such as with soffice --convert-to xlsx";
    refused(at("log.xls"), &["can claim cells without limit", way]);
    refused(at("log.csv"), &["is empty"]);
}

#[test]
fn invalid_options_are_refused_by_name() {
    use insonate_tables::{Columns, Units};
    let columns = [
        ("time=1,depth=2", "\"depth\" is not known"),
        ("time", "no \"=\""),
        ("time=0", "numbered from 1"),
        ("time=", "names no column"),
        ("time=1:2:3", "one column"),
        ("force=1:2", "three"),
        ("time=1,time=2", "twice"),
        ("indentation=1,position=2", "not both"),
        ("", "names no column"),
        ("time=99999999999999999999999", "too large"),
    ];
    for (text, word) in columns {
        let error = text.parse::<Columns>().unwrap_err().to_string();
        assert!(
            error.contains("--columns") && error.contains(word),
            "{error}"
        );
    }
    let units = [
        ("force=kg", "kgf"),
        ("depth=mm", "not known"),
        ("force", "no \"=\""),
        ("velocity=mm", "mm/s"),
        ("force=N,force=N", "twice"),
    ];
    for (text, word) in units {
        let error = text.parse::<Units>().unwrap_err().to_string();
        assert!(error.contains("--units") && error.contains(word), "{error}");
    }
    "time=ms,indentation=mm,position=in,velocity=mm/s,force=lbf"
        .parse::<Units>()
        .unwrap();
}

/// Semicolons, tabs, spaces or quotation marks separate decimal commas from the commas between cells.
#[test]
fn decimal_commas_are_read() {
    for text in [
        "time_s;indentation_m;force_n\n0;0;0\n0,5;0,001;3\n1;0,002;-4,5e-1\n",
        "time_s\tindentation_m\tforce_n\n0\t0\t0\n0,5\t0,001\t3\n1\t0,002\t-4,5e-1\n",
        "time_s,indentation_m,force_n\n0,0,0\n\"0,5\",\"0,001\",3\n1,\"0,002\",\"-4,5e-1\"\n",
        "# time_s indentation_m force_n\n0,0 0,0 0,0\n0,5 0,001 3,0\n1,0 0,002 -4,5e-1\n",
    ] {
        let log = csv(text).unwrap();
        assert_eq!(log.time, [0.0, 0.5, 1.0], "{text}");
        assert_eq!(indentation(&log), [0.0, 0.001, 0.002]);
        assert_eq!(scalar(&log.force), [0.0, 3.0, -0.45]);
        assert!(
            log.source
                .notes
                .iter()
                .any(|note| note.contains("decimal commas"))
        );
    }
}

#[test]
fn gram_force_is_a_unit() {
    for header in ["force_gf", "Force [gram-force]", "force (gf)"] {
        let text = format!("time_s,indentation_mm,{header}\n0,0,0\n1,1,100\n2,2,1000\n");
        let log = csv(&text).unwrap();
        assert_eq!(scalar(&log.force), [0.0, 0.980665, 9.80665]);
    }
}

/// Two columns named as force must be equal, or the user selects one.
#[test]
fn different_forces_require_a_choice() {
    let log = |second: &str| {
        let rows = format!("0,0,0,0\n1,0.001,1,{second}\n2,0.002,2,2\n");
        format!("time_s,indentation_m,force_n,normal_force_n\n{rows}")
    };
    assert_eq!(scalar(&csv(&log("1")).unwrap().force), [0.0, 1.0, 2.0]);
    let refusal = csv(&log("1.5")).unwrap_err();
    for part in ["force_n", "normal_force_n", "differ", "--columns force=3"] {
        assert!(refusal.contains(part), "{refusal}");
    }
    // The advice works.
    for (columns, middle) in [("force=3", 1.0), ("force=4", 1.5)] {
        let read = with(&log("1.5"), columns, "", None).unwrap();
        assert_eq!(scalar(&read.force)[1], middle);
    }
}
