//! Contract: spreadsheets are read like text, from the first sheet with rows of numbers; stated sizes are checked.

#![expect(
    clippy::format_push_string,
    reason = "a workbook of a few cells is put together as text"
)]

use std::io::{Cursor, Write as _};

use insonate_tables::{Channel, Format, Log, Motion, ReadOptions, read_bytes};
use zip::write::SimpleFileOptions;

use super::{refused, scalar};

/// A cell: a number, a time in days, or text.
#[derive(Clone, Copy)]
enum Cell {
    Number(f64),
    Days(f64),
    Words(&'static str),
    Empty,
}
use Cell::{Days, Empty, Number, Words};

/// A workbook with these sheets; style 1 is a time.
fn book(sheets: &[&[&[Cell]]]) -> Vec<u8> {
    let mut names = String::new();
    let mut targets = String::new();
    for sheet in 1..=sheets.len() {
        names += &format!("<sheet name=\"S{sheet}\" sheetId=\"{sheet}\" r:id=\"r{sheet}\"/>");
        targets += &format!(
            "<Relationship Id=\"r{sheet}\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet\" Target=\"worksheets/sheet{sheet}.xml\"/>"
        );
    }
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let package = "http://schemas.openxmlformats.org/package/2006/relationships";
    let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let mut files = vec![
        (
            "_rels/.rels".to_owned(),
            format!(
                "<Relationships xmlns=\"{package}\"><Relationship Id=\"r\" Type=\"{office}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml".to_owned(),
            format!(
                "<workbook xmlns=\"{main}\" xmlns:r=\"{office}\"><sheets>{names}</sheets></workbook>"
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels".to_owned(),
            format!("<Relationships xmlns=\"{package}\">{targets}</Relationships>"),
        ),
        (
            "xl/styles.xml".to_owned(),
            format!(
                "<styleSheet xmlns=\"{main}\"><cellXfs count=\"2\"><xf numFmtId=\"0\"/><xf numFmtId=\"47\"/></cellXfs></styleSheet>"
            ),
        ),
    ];
    for (sheet, rows) in sheets.iter().enumerate() {
        let mut data = String::new();
        for (row, cells) in rows.iter().enumerate() {
            data += &format!("<row r=\"{}\">", row + 1);
            for (column, cell) in cells.iter().enumerate() {
                let at = format!("{}{}", char::from(b'A' + column as u8), row + 1);
                data += &match cell {
                    Number(value) => format!("<c r=\"{at}\"><v>{value}</v></c>"),
                    Days(value) => format!("<c r=\"{at}\" s=\"1\"><v>{value}</v></c>"),
                    Words(words) => {
                        format!("<c r=\"{at}\" t=\"inlineStr\"><is><t>{words}</t></is></c>")
                    }
                    Empty => String::new(),
                };
            }
            data += "</row>";
        }
        files.push((
            format!("xl/worksheets/sheet{}.xml", sheet + 1),
            format!("<worksheet xmlns=\"{main}\"><sheetData>{data}</sheetData></worksheet>"),
        ));
    }
    zipped(&files)
}

pub(super) fn zipped(files: &[(String, String)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        writer
            .start_file(name.as_str(), SimpleFileOptions::default())
            .unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A small log for the damage tests.
pub(super) fn log() -> Vec<u8> {
    book(&[&[
        &[Words("time_s"), Words("indentation_mm"), Words("force_n")],
        &[Number(0.0), Number(1.0), Number(2.0)],
        &[Number(0.1), Number(2.0), Number(3.0)],
        &[Number(0.2), Number(3.0), Number(-4.0)],
    ]])
}

fn read(bytes: &[u8]) -> Result<Log, String> {
    read_bytes("log.xlsx", Format::Xlsx, bytes, &ReadOptions::default())
        .map_err(|error| error.to_string())
}

#[test]
fn the_first_sheet_with_rows_of_numbers_is_read() {
    let time = |seconds: f64| Days(45_000.25 + seconds / 86_400.0);
    let bytes = book(&[
        &[
            &[Words("Operator"), Words("A &quot;B&quot;")],
            &[Words("Date")],
        ],
        &[
            &[Words("Machine 5")],
            &[],
            &[
                Words("Time"),
                Words("Extension"),
                Words("Load"),
                Words("Remark"),
            ],
            &[Words("hh:mm:ss"), Words("mm"), Words("mN")],
            &[time(0.0), Number(1.0), Number(500.0), Words("start")],
            &[time(0.5), Number(2.5), Number(-1e3)],
            &[time(1.0), Number(3.0), Empty, Words("no load")],
            &[time(1.5), Number(4.0), Number(1.5)],
        ],
    ]);
    let log = read(&bytes).unwrap();
    for (time, expected) in log.time.iter().zip([0.0, 0.5, 1.5]) {
        assert!((time - expected).abs() < 2e-6, "{:?}", log.time);
    }
    assert_eq!(
        log.motion,
        Motion::Position(Channel::Scalar(vec![0.001, 0.0025, 0.004]))
    );
    assert_eq!(scalar(&log.force), [0.5, -1.0, 0.0015]);
    assert_eq!(log.source.format, "xlsx");
    for words in [
        "the sheet is \"S2\"",
        "units are those of line 4",
        "line 1 before the table",
        "one row of 4 without a value",
    ] {
        assert!(
            log.source.notes.iter().any(|note| note.contains(words)),
            "{:?}",
            log.source.notes
        );
    }
}

#[test]
fn spreadsheets_without_a_log_are_refused() {
    refused(
        read(&book(&[&[&[Words("a")]]])),
        &["no sheet with rows of numbers"],
    );
    refused(read(b"PK\x03\x04rest"), &["not an XLSX"]);
    let broken = book(&[&[
        &[Words("time_s"), Words("indentation_mm"), Words("force_n")],
        &[Number(0.0), Number(1.0), Number(2.0)],
        &[Number(0.1), Words("?"), Number(3.0)],
        &[Number(0.2), Number(3.0), Number(-4.0)],
    ]]);
    refused(
        read(&broken),
        &["row 3", "\"indentation_mm\"", "\"?\" is not a number"],
    );
}

/// A few kilobytes that would unpack to hundreds of megabytes.
#[test]
fn bombs_are_refused_before_they_unpack() {
    let blank = " ".repeat(200 << 20);
    for (name, words) in [
        ("xl/sharedStrings.xml", "bytes"),
        ("xl/worksheets/sheet1.xml", "more than 100 times"),
    ] {
        refused(
            read(&zipped(&[(name.to_owned(), blank.clone())])),
            &["unpack", words],
        );
    }
}
