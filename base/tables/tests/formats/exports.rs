//! Contract: exports of testing machines are read unchanged: with text around the table, a row of units, thousands
//! separators and other encodings. Skipped text is reported; a malformed table is refused.

use insonate_tables::{Channel, Format, Log, Motion, ReadOptions, read_bytes};

use super::{options, refused, scalar};

fn read(bytes: &[u8]) -> Result<Log, String> {
    read_bytes("log.csv", Format::Csv, bytes, &ReadOptions::default())
        .map_err(|error| error.to_string())
}

fn csv(text: &str) -> Result<Log, String> {
    read(text.as_bytes())
}

fn with(text: &str, columns: &str, units: &str) -> Result<Log, String> {
    let options = ReadOptions {
        units: units.parse().unwrap(),
        ..options(columns, None)
    };
    read_bytes("log.csv", Format::Csv, text.as_bytes(), &options).map_err(|error| error.to_string())
}

fn place(log: &Log) -> &[f64] {
    match &log.motion {
        Motion::Indentation(values) | Motion::Position(Channel::Scalar(values)) => values,
        Motion::Position(Channel::Vector(_)) => panic!("a vector"),
    }
}

#[track_caller]
fn holds(log: &Log, time: &[f64], motion: &[f64], force: &[f64]) {
    assert_eq!(
        (&*log.time, place(log), scalar(&log.force)),
        (time, motion, force)
    );
}

fn notes(log: &Log) -> String {
    log.source.notes.join("\n")
}

#[test]
fn a_table_is_found_below_text_and_its_units_below_its_names() {
    let text = "Specimen geometry : Rectangular,\"25.00000\",mm\n\nTime,Extension,Load\n(s),(mm),(mN)\n\
        \"999.5\",\"9\",\"-500\"\n\"1,000.5\",\"10.5\",\"1,500.25\"\n\"1,001.5\",\"12\",\"2,500\"\n\nEnd of test\n\"Max\",\"2,500\",mN\n";
    let log = csv(text).unwrap();
    holds(
        &log,
        &[999.5, 1000.5, 1001.5],
        &[0.009, 0.0105, 0.012],
        &[-0.5, 1.50025, 2.5],
    );
    for part in [
        "line 1 before the table is not read",
        "Specimen geometry",
        "units are those of line 4",
        "lines 9 to 10 after the table are not read",
    ] {
        assert!(notes(&log).contains(part), "no {part} in {}", notes(&log));
    }
    // A column can also be named without its unit.
    let same = with(text, "time=Time,position=Extension,force=Load", "").unwrap();
    assert_eq!((same.time, same.force), (log.time, log.force));
}

#[test]
fn layouts_of_other_machines_are_read() {
    let bioindenter = "Indentation\n\n + Advanced\n   Acquisition rate :\t10.0 [Hz]\n   Max load :\t1000.00 \tµN\n\nMeasured values\n\
        Time (s)\tPd (µm)\tFn (µN)\tFnRef (µN)\tSegmentID\n\n0.0\t1.5\t500\t5.35\t1\n0.1\t3\t1000\t5.35\t1\n0.2\t6\t1500\t5.35\t1\n";
    let zwick = "Prüfer;A\r\nMaschine;Z2.5\r\n\r\n\"Prüfzeit\";\"Standardweg\";\"Standardkraft\"\r\n\"s\";\"mm\";\"mN\"\r\n\
        0,0;0,0015;0,5\r\n0,1;0,003;1\r\n0,2;0,006;1,5\r\n";
    let texture = "Sample: A1\nTest ID: 5\n\nForce (g),Distance (mm),Time (s)\n0,0.0015,0\n1000,0.003,0.1\n2000,0.006,0.2\n";
    let labview = "LabVIEW Measurement\t\nSeparator\tTab\n***End_of_Header***\t\nX_Value\tDisplacement\tForce\tComment\n\
        0\t0.0015\t0.0005\n0.1\t0.003\t0.001\n0.2\t0.006\t0.0015\n";
    let [time, depth, force] = [
        [0.0, 0.1, 0.2],
        [1.5e-6, 3e-6, 6e-6],
        [0.0005, 0.001, 0.0015],
    ];
    holds(&csv(bioindenter).unwrap(), &time, &depth, &force);
    let latin1: Vec<u8> = bioindenter
        .chars()
        .map(|character| character as u8)
        .collect();
    holds(&read(&latin1).unwrap(), &time, &depth, &force);
    holds(
        &csv(&bioindenter.replace('µ', "\u{3bc}")).unwrap(),
        &time,
        &depth,
        &force,
    );
    holds(&csv(zwick).unwrap(), &time, &depth, &force);
    let latin1: Vec<u8> = zwick.chars().map(|character| character as u8).collect();
    holds(&read(&latin1).unwrap(), &time, &depth, &force);
    let log = csv(texture).unwrap();
    holds(&log, &time, &depth, &[0.0, 9.80665, 19.6133]);
    assert!(notes(&log).contains("unit of mass"), "{}", notes(&log));
    holds(
        &with(labview, "", "position=mm").unwrap(),
        &time,
        &depth,
        &force,
    );
    for big_endian in [false, true] {
        let bytes: Vec<u8> = format!("\u{feff}{bioindenter}")
            .encode_utf16()
            .flat_map(|unit| {
                if big_endian {
                    unit.to_be_bytes()
                } else {
                    unit.to_le_bytes()
                }
            })
            .collect();
        holds(&read(&bytes).unwrap(), &time, &depth, &force);
    }
}

/// Without a header columns are numbered, and counts or volts have a scale.
#[test]
fn columns_below_text_are_numbered_and_scaled() {
    let text = "Recorder 7\nchannels: 3\n\n0;0;100\n10;1;-200\n20;2;400\n";
    let log = with(
        text,
        "time=1,position=2,force=3",
        "time=ms,position=mm,force=2.5e-3N",
    )
    .unwrap();
    holds(
        &log,
        &[0.0, 0.01, 0.02],
        &[0.0, 0.001, 0.002],
        &[0.25, -0.5, 1.0],
    );
    assert!(
        log.source
            .columns
            .iter()
            .any(|line| line.contains("[0.0025 N → N]"))
    );
    let volts = "time_s,depth_mm,Force [V]\n0,0,1\n1,1,2\n2,2,4\n";
    refused(csv(volts), &["\"V\"", "--units", "force=2.5e-3N"]);
    assert_eq!(
        scalar(&with(volts, "", "force=2.5e-3N").unwrap().force),
        [0.0025, 0.005, 0.01]
    );
    for wrong in [
        "force=0N",
        "force=1e999N",
        "force=2.5e-3",
        "force=2.5e-3V",
        "force=infN",
    ] {
        let error = wrong.parse::<insonate_tables::Units>().unwrap_err();
        assert!(error.to_string().contains("no such unit"), "{error}");
    }
}

/// Text inside a table does not end it.
#[test]
fn broken_tables_are_refused_at_their_line() {
    let table = |middle: &str| {
        let rows: String = (1..9)
            .map(|row| format!("{row},0.00{row},{row}\n"))
            .collect::<Vec<_>>()
            .concat();
        format!("Machine 5\ntime_s,depth_m,force_n\n0,0,0\n0.5,0,0\n{middle}\n{rows}")
    };
    csv(&table("")).unwrap();
    for (middle, words) in [
        ("overload", ["row 5", "1 cells where the header has 3"]),
        ("0.6,overload,0", ["row 5", "\"overload\" is not a number"]),
        ("paused,at,0.6", ["row 5", "\"paused\" is not a number"]),
        (
            "time_s,depth_m,force_n",
            ["row 5", "\"time_s\" is not a number"],
        ),
        ("0.6,0", ["row 5", "2 cells where the header has 3"]),
    ] {
        refused(csv(&table(middle)), &words);
    }
    // A truncated row does not count as text after the table.
    refused(csv(&(table("") + "9,0.0")), &["row 14", "2 cells"]);
    refused(
        csv(&(table("") + "9,0.0,1x")),
        &["row 14", "\"1x\" is not a number"],
    );
}

/// A thousand or three decimals: `1,002` alone is ambiguous and refused.
#[test]
fn ambiguous_commas_are_refused() {
    let ambiguous = "time_s,position_mm,force_n\n0,\"1,000\",0\n1,\"1,002\",1\n2,\"1,004\",2\n";
    refused(
        csv(ambiguous),
        &["\"1,000\"", "three decimals or a thousand"],
    );
    let log = csv(&ambiguous.replace(",0\n", ",0.5\n")).unwrap();
    assert_eq!(place(&log), [1.0, 1.002, 1.004]);
    let german = "Zeit;Weg;Kraft\ns;mm;N\n0;\"1.000,5\";0,25\n1;1.001,5;1\n2;1.002;2\n";
    refused(csv(german), &["row 5", "\"1.002\" has a decimal point"]);
    let log = csv(&german.replace("1.002", "1.002,0")).unwrap();
    holds(
        &log,
        &[0.0, 1.0, 2.0],
        &[1.0005, 1.0015, 1.002],
        &[0.25, 1.0, 2.0],
    );
}

/// A log of three rows whose numbers grow by 0.01 from cell to cell.
fn under(header: &str) -> Result<Log, String> {
    let delimiter = if header.contains(';') { ';' } else { ',' };
    let n = header.split(delimiter).count();
    let row = |row: usize| {
        let cells: Vec<String> = (0..n)
            .map(|column| format!("{}", (row * n + column) as f64 / 100.0))
            .collect();
        cells.join(&delimiter.to_string())
    };
    csv(&format!("{header}\n{}\n{}\n{}\n", row(0), row(1), row(2)))
}

/// Checks which columns, counted from 0, are position and force under a header.
fn reads_vectors(header: &str, position: [usize; 3], force: [usize; 3]) {
    let log = under(header).unwrap_or_else(|error| panic!("{header}: {error}"));
    let expected = |columns: [usize; 3]| columns.map(|column| column as f64 / 100.0);
    let Motion::Position(Channel::Vector(at)) = &log.motion else {
        panic!("{header}")
    };
    let Channel::Vector(forces) = &log.force else {
        panic!("{header}")
    };
    assert_eq!(
        (at[0], forces[0]),
        (expected(position), expected(force)),
        "{header}"
    );
}

/// `name_0,name_1,…`.
fn list(name: &str, n: usize) -> String {
    (0..n)
        .map(|index| format!("{name}_{index}"))
        .collect::<Vec<_>>()
        .join(",")
}

#[test]
fn names_of_testing_machines_are_known() {
    for header in [
        "Zeit;Weg;Kraft",
        "Tiempo;Desplazamiento;Fuerza",
        "Temps;Déplacement;Effort",
        "Tempo;Spostamento;Forza",
        "Time (s),Extension (mm),Load (N)",
        "Elapsed Time,Crosshead Displacement,Axial Force",
        "Time,Position(8800MT:Position) (mm),Load(8800MT:Load) (N)",
        "__time,/tcp/position,/ft/force",
    ] {
        let log = under(header).unwrap_or_else(|error| panic!("{header}: {error}"));
        let at = |values: &[f64], column: f64| {
            values.iter().enumerate().all(|(row, value)| {
                let number = (row as f64 * 3.0 + column) / 100.0;
                *value == number || (value - number / 1000.0).abs() < 1e-12
            })
        };
        assert!(
            at(place(&log), 1.0) && at(scalar(&log.force), 2.0),
            "{header}"
        );
    }
}

#[test]
fn names_of_robots_are_known() {
    reads_vectors(
        &format!(
            "timestamp,{},{}",
            list("actual_TCP_pose", 6),
            list("actual_TCP_force", 6)
        ),
        [1, 2, 3],
        [7, 8, 9],
    );
    reads_vectors(
        &format!("time,{},{}", list("O_T_EE", 16), list("O_F_ext_hat_K", 6)),
        [13, 14, 15],
        [17, 18, 19],
    );
    reads_vectors(
        "time,ft/wrench/torque/x,ft/wrench/force/x,ft/wrench/force/y,ft/wrench/force/z,tcp.position.x,tcp.position.y,tcp.position.z",
        [5, 6, 7],
        [2, 3, 4],
    );
    reads_vectors(
        "t,RIst.X,RIst.Y,RIst.Z,cartForce1_X,cartForce1_Y,cartForce1_Z",
        [1, 2, 3],
        [4, 5, 6],
    );
}

#[test]
fn columns_with_several_meanings_are_refused() {
    // Joints are not positions, and the user selects one of two sensors or positions.
    refused(
        under(&format!("time,{},force", list("position", 6))),
        &["--columns"],
    );
    let places = "time,Distance,Displacement,Force\n0,0.1,0.2,1\n0.1,0.2,0.4,2\n0.2,0.3,0.6,3\n";
    refused(
        csv(places),
        &[
            "both say position",
            "--columns position=3",
            "--columns position=2",
        ],
    );
    // With another zero and the opposite sign it is the same position.
    let same = places.replace("0.4,2", "0.1,2").replace("0.6,3", "0,3");
    assert_eq!(place(&csv(&same).unwrap()).len(), 3);
    refused(
        under("time,depth,a/force/x,a/force/y,a/force/z,b/force/x,b/force/y,b/force/z"),
        &["both say force", "--columns force=3:4:5", "force=6:7:8"],
    );
}
