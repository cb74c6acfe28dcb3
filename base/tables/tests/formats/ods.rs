//! Contract: spreadsheets of LibreOffice are read like those of Excel. Repeated cells and rows are written out within the
//! limits of a table; a file that claims more is refused, and a cut one ends.

use insonate_tables::{Channel, Format, Log, Motion, ReadOptions, read, read_bytes};

use super::sheet::zipped;
use super::{refused, scalar};

const OPEN: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><office:document-content xmlns:office=\"o\" xmlns:table=\"t\" xmlns:text=\"x\"><office:body><office:spreadsheet>";
const CLOSE: &str = "</office:spreadsheet></office:body></office:document-content>";

fn number(value: f64) -> String {
    format!(
        "<table:table-cell office:value-type=\"float\" office:value=\"{value}\"><text:p>shown</text:p></table:table-cell>"
    )
}

fn words(words: &str) -> String {
    format!(
        "<table:table-cell office:value-type=\"string\"><text:p>{words}</text:p></table:table-cell>"
    )
}

fn row(cells: &[String]) -> String {
    format!("<table:table-row>{}</table:table-row>", cells.concat())
}

fn table(name: &str, rows: &[String]) -> String {
    format!(
        "<table:table table:name=\"{name}\"><table:table-column/>{}</table:table>",
        rows.concat()
    )
}

/// A file with this text between the tags of a spreadsheet.
fn book(tables: &str) -> Vec<u8> {
    let mime = "application/vnd.oasis.opendocument.spreadsheet";
    zipped(&[
        ("mimetype".to_owned(), mime.to_owned()),
        ("content.xml".to_owned(), format!("{OPEN}{tables}{CLOSE}")),
    ])
}

fn names() -> String {
    row(&["time_s", "indentation_mm", "force_n"].map(words))
}

fn rows() -> Vec<String> {
    let values = [[0.0, 1.0, 2.0], [0.1, 2.0, 3.0], [0.2, 3.0, -4.0]];
    values.map(|values| row(&values.map(number))).to_vec()
}

/// A small log for the damage tests.
pub(super) fn log() -> Vec<u8> {
    book(&table("S", &[vec![names()], rows()].concat()))
}

fn from_memory(bytes: &[u8]) -> Result<Log, String> {
    read_bytes("log.ods", Format::Ods, bytes, &ReadOptions::default())
        .map_err(|error| error.to_string())
}

#[test]
fn the_first_sheet_with_rows_of_numbers_is_read() {
    let remarks = table("Remarks", &[row(&[words("Operator"), words("A &amp; B")])]);
    let empty = "<table:table-row table:number-rows-repeated=\"3\"><table:table-cell table:number-columns-repeated=\"1024\"/></table:table-row>".to_owned();
    let gap = "<table:table-cell table:number-columns-repeated=\"2\"/>".to_owned();
    let head = row(&[
        gap.clone(),
        words("Time"),
        words("Ind<text:span>entation</text:span> [mm]"),
        "<table:table-cell office:value-type=\"string\"><office:annotation><text:p>a note</text:p></office:annotation><text:p>Force<text:s/>[N]</text:p></table:table-cell>".to_owned(),
    ]);
    let time = |seconds: &str| {
        format!(
            "<table:table-cell office:value-type=\"time\" office:time-value=\"PT10H11M{seconds}S\"><text:p>10:11</text:p></table:table-cell>"
        )
    };
    let of = |seconds: &str, depth: f64, force: f64| {
        row(&[gap.clone(), time(seconds), number(depth), number(force)])
    };
    let data = [
        row(&[words("Machine 5")]),
        empty.clone(),
        head,
        of("12", 1.0, 2.0),
        of("12.25", 2.0, 3.5),
        of("13.5", 3.0, -4.0),
        // The rest of a sheet.
        empty.replace('3', "1048000"),
    ];
    let file = book(&(remarks + &table("Press", &data)));
    let log = from_memory(&file).unwrap();
    assert_eq!(log.time, [0.0, 0.25, 1.5]);
    assert_eq!(log.motion, Motion::Indentation(vec![0.001, 0.002, 0.003]));
    assert_eq!(log.force, Channel::Scalar(vec![2.0, 3.5, -4.0]));
    assert_eq!(log.source.format, "ods");
    assert_eq!(log.source.notes[0], "the sheet is \"Press\"");
    // By its ending, with a hash of the whole file.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("press.ods");
    std::fs::write(&path, &file).unwrap();
    let from_file = read(&path, &ReadOptions::default()).unwrap();
    assert_eq!(from_file.source.sha256, log.source.sha256);
}

#[test]
fn repeated_cells_and_rows_are_written_out() {
    // Two equal values in a row, and two equal rows.
    let twice = "<table:table-cell table:number-columns-repeated=\"2\" office:value-type=\"float\" office:value=\"0.5\"/>";
    let same = format!(
        "<table:table-row table:number-rows-repeated=\"2\">{}{twice}</table:table-row>",
        number(0.3)
    );
    let head = row(&["time_s", "indentation_mm", "force_n"].map(words));
    let log = from_memory(&book(&table(
        "S",
        &[vec![head], rows(), vec![same]].concat(),
    )))
    .unwrap();
    assert_eq!(log.time, [0.0, 0.1, 0.2, 0.3, 0.3]);
    assert_eq!(scalar(&log.force), [2.0, 3.0, -4.0, 0.5, 0.5]);
}

#[test]
fn claims_beyond_a_table_are_refused() {
    let many = |attribute: &str, n: &str| {
        let cell = format!(
            "<table:table-cell {attribute}=\"{n}\" office:value-type=\"float\" office:value=\"1\"/>"
        );
        let last = if attribute.contains("rows") {
            format!(
                "<table:table-row {attribute}=\"{n}\">{}</table:table-row>",
                number(1.0)
            )
        } else {
            row(&[cell])
        };
        from_memory(&book(&table(
            "S",
            &[vec![names()], rows(), vec![last]].concat(),
        )))
    };
    for n in ["99999999", "18446744073709551615"] {
        refused(
            many("table:number-columns-repeated", n),
            &["sheet \"S\"", "more than 4096 columns"],
        );
        refused(
            many("table:number-rows-repeated", n),
            &["sheet \"S\"", "more than 1048576 rows"],
        );
    }
    // A cell after that many empty ones.
    let far = row(&[
        "<table:table-cell table:number-columns-repeated=\"99999999\"/>".to_owned(),
        number(1.0),
    ]);
    refused(
        from_memory(&book(&table(
            "S",
            &[vec![names()], rows(), vec![far]].concat(),
        ))),
        &["more than 4096 columns"],
    );
    // A million rows of four thousand cells from a few bytes.
    let block = "<table:table-row table:number-rows-repeated=\"1000000\"><table:table-cell table:number-columns-repeated=\"4000\" office:value-type=\"float\" office:value=\"1.23456789\"/></table:table-row>";
    refused(
        from_memory(&book(&table("S", &[block.to_owned()]))),
        &["bytes of text: split the recording"],
    );
}

#[test]
fn cut_and_foreign_archives_are_refused() {
    // The XML ends within a table.
    let content = format!("{OPEN}{}", table("S", &[vec![names()], rows()].concat()));
    for cut in (OPEN.len()..content.len() - "</table:table>".len()).step_by(7) {
        let file = zipped(&[("content.xml".to_owned(), content[..cut].to_owned())]);
        assert!(from_memory(&file).is_err(), "cut at {cut}");
    }
    refused(
        from_memory(&zipped(&[("a".to_owned(), "b".to_owned())])),
        &["not an ODS spreadsheet"],
    );
    refused(from_memory(b"time_s,force_n"), &["not an ODS spreadsheet"]);
    refused(from_memory(&book("")), &["no sheet with rows of numbers"]);
}
