//! Table of the positions of sites, for logs that do not contain them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::CalibrationError;

/// Maximum size of the table [bytes].
const MAX_BYTES: u64 = 1 << 20;
/// Largest coordinate [m].
const MAX_COORDINATE: f64 = 100.0;

/// Reads the positions [m] of logs by name (without folder and extension) from a CSV file with the columns `log,x,y`
/// or `log,x,y,z`, in metres.
///
/// # Errors
/// [`CalibrationError::Read`] and [`CalibrationError::Format`], naming the line: columns are missing, a log occurs
/// twice, or a coordinate is not a number within 100 m.
pub fn read_places(path: &Path) -> Result<BTreeMap<String, [f64; 3]>, CalibrationError> {
    let file = path.display().to_string();
    let failed = |line: Option<u64>, problem: String| CalibrationError::Format {
        file: file.clone(),
        place: line.map_or(String::new(), |line| format!(", line {line}")),
        problem,
    };
    let mut text = String::new();
    File::open(path)
        .and_then(|opened| opened.take(MAX_BYTES).read_to_string(&mut text))
        .map_err(|source| CalibrationError::Read {
            file: file.clone(),
            source,
        })?;
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(text.as_bytes());
    let header = reader
        .headers()
        .map_err(|error| failed(None, error.to_string()))?
        .clone();
    let column = |name: &str| header.iter().position(|own| own.eq_ignore_ascii_case(name));
    let (Some(log), Some(x), Some(y)) = (column("log"), column("x"), column("y")) else {
        let found: Vec<&str> = header.iter().collect();
        return Err(failed(
            Some(1),
            format!(
                "the header is {:?}; it must be log,x,y or log,x,y,z, with places in m",
                found.join(",")
            ),
        ));
    };
    let z = column("z");
    let mut places = BTreeMap::new();
    for row in reader.records() {
        let row = row.map_err(|error| failed(None, error.to_string()))?;
        let line = row.position().map(csv::Position::line);
        let coordinate = |name: &str, index: usize| {
            let text = row.get(index).unwrap_or_default();
            let value = text.parse::<f64>().ok();
            value
                .filter(|value| value.abs() <= MAX_COORDINATE)
                .ok_or_else(|| {
                    failed(
                        line,
                        format!(
                            "{name} is {text:?}; it must be a number of metres within ±{MAX_COORDINATE}"
                        ),
                    )
                })
        };
        let name = Path::new(row.get(log).unwrap_or_default())
            .file_stem()
            .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let height = z.map_or(Ok(0.0), |z| coordinate("z", z))?;
        let place = [coordinate("x", x)?, coordinate("y", y)?, height];
        if places.insert(name.clone(), place).is_some() {
            return Err(failed(line, format!("{name} is there twice")));
        }
    }
    Ok(places)
}
