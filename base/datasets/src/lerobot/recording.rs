//! Reads one episode of a LeRobot folder as columns, in version 2.1 (a file for each episode) or 3.0 (several in a file).

use std::path::{Path, PathBuf};

use bytes::Bytes;
use insonate_tables::{check_parquet_footer, guarded};
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;

use super::column::ParquetFile;
use super::reader::{MAX_FILE, read_bytes, read_json, read_own};
use super::{INFO, VERSION, data_file, open_h};
use crate::limits::{Budget, MAX_DEMONSTRATIONS};
use crate::recording::no_episode;
use crate::{DatasetError, OwnRecording, RecordedColumn, Recording};

/// Names of parts of `observation.state` and `action`, which Open-H's tools read.
const MODALITY: &str = "meta/modality.json";

/// Types of features that are numbers.
const NUMERIC: [&str; 8] = [
    "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool",
];

/// Columns that count, and the one of the time.
const COUNTERS: [&str; 4] = ["frame_index", "episode_index", "index", "task_index"];
const TIME: &str = "timestamp";

/// Largest number of numbers in a row of a column.
const MAX_WIDTH: u64 = 1 << 16;

/// Reads an episode from a folder.
pub(crate) fn recording(folder: &Path, episode: usize) -> Result<Recording, DatasetError> {
    let meta = folder.join(INFO);
    if !meta.is_file() {
        let problem = format!("has no {INFO}, as LeRobot's data sets do");
        return Err(DatasetError::invalid(folder, problem));
    }
    let info = read_json(&meta)?;
    let n_episodes = info["total_episodes"].as_u64().unwrap_or(0);
    let n_episodes = usize::try_from(n_episodes).unwrap_or(usize::MAX);
    if episode >= n_episodes.min(MAX_DEMONSTRATIONS) {
        return Err(no_episode(folder, episode, n_episodes));
    }
    let files = files(folder, &meta, &info, episode)?;
    let mut rows = Rows {
        episode,
        n: 0,
        time: Vec::new(),
        columns: features(&meta, &info)?,
        budget: Budget::default(),
    };
    for path in &files {
        guarded(|| rows.read_file(path)).unwrap_or_else(|| {
            let problem = "is damaged: the Parquet library cannot read it";
            Err(DatasetError::invalid(path, problem))
        })?;
    }
    let rate = info["fps"].as_f64().filter(|rate| *rate > 0.0);
    let time = match rows.time {
        time if time.len() == rows.n => Some(time),
        _ => rate.map(|rate| (0..rows.n).map(|row| row as f64 / rate).collect()),
    };
    let mut columns = rows.columns;
    add_parts(folder, &mut columns)?;
    let own = read_own(folder)?.filter(|own| !own.info.task.is_empty());
    Ok(Recording {
        own: own.map(|own| OwnRecording {
            seed: own.seeds.get(episode).copied().unwrap_or(0),
            kind: own.kinds.get(episode).copied().unwrap_or_default(),
            info: own.info,
        }),
        n_rows: rows.n,
        time,
        columns,
    })
}

/// The files that can hold an episode. Their names are those of the format; patterns in `info.json` are not followed.
fn files(
    folder: &Path,
    meta: &Path,
    info: &Value,
    episode: usize,
) -> Result<Vec<PathBuf>, DatasetError> {
    match info["codebase_version"].as_str().unwrap_or("no version") {
        open_h::VERSION => {
            let size = info["chunks_size"].as_u64().filter(|size| *size > 0);
            let size = size.and_then(|size| usize::try_from(size).ok());
            let chunk = episode / size.unwrap_or(open_h::CHUNK_SIZE);
            let file = format!("data/chunk-{chunk:03}/episode_{episode:06}.parquet");
            Ok(vec![folder.join(file)])
        }
        VERSION => Ok((0..MAX_DEMONSTRATIONS)
            .map(|index| folder.join(data_file(index)))
            .take_while(|path| path.is_file())
            .collect()),
        other => {
            let problem = format!(
                "is of {other}; {} and {VERSION} are read: convert it with LeRobot",
                open_h::VERSION
            );
            Err(DatasetError::invalid(meta, problem))
        }
    }
}

/// The numeric columns without rows.
fn features(meta: &Path, info: &Value) -> Result<Vec<RecordedColumn>, DatasetError> {
    let features = info["features"].as_object();
    let features = features.ok_or_else(|| DatasetError::invalid(meta, "has no features"))?;
    let mut columns = Vec::new();
    for (name, feature) in features {
        let is_number = NUMERIC.iter().any(|dtype| feature["dtype"] == *dtype);
        if !is_number || name == TIME || COUNTERS.contains(&name.as_str()) {
            continue;
        }
        let sides = feature["shape"].as_array().map(Vec::as_slice);
        let mut sides = sides.unwrap_or_default().iter().map(Value::as_u64);
        let width = sides.try_fold(1_u64, |width, side| width.checked_mul(side?));
        let width = width.filter(|width| (1..=MAX_WIDTH).contains(width));
        let width = width.ok_or_else(|| {
            let problem = format!("has {name} of no shape of 1 to {MAX_WIDTH} numbers");
            DatasetError::invalid(meta, problem)
        })?;
        columns.push(RecordedColumn {
            name: name.clone(),
            entries: entries(name, &feature["names"], width as usize),
            values: Vec::new(),
        });
    }
    Ok(columns)
}

/// Names of a feature's numbers: a list, or an object with one list, as LeRobot writes them.
fn entries(name: &str, names: &Value, width: usize) -> Vec<String> {
    let list = match names {
        Value::Object(lists) if lists.len() == 1 => lists.values().next(),
        other => Some(other),
    };
    let texts = list.and_then(Value::as_array).map(|list| {
        let texts = list.iter().filter_map(Value::as_str);
        texts.map(str::to_owned).collect::<Vec<String>>()
    });
    match texts {
        Some(texts) if texts.len() == width => texts,
        _ => (0..width).map(|index| format!("{name}_{index}")).collect(),
    }
}

/// Adds the parts of columns that `modality.json` names, if there is one.
fn add_parts(folder: &Path, columns: &mut Vec<RecordedColumn>) -> Result<(), DatasetError> {
    let path = folder.join(MODALITY);
    if !path.is_file() {
        return Ok(());
    }
    let modality = read_json(&path)?;
    for (group, usual) in [("state", "observation.state"), ("action", "action")] {
        let parts = modality[group].as_object().into_iter().flatten();
        for (name, part) in parts {
            let name = format!("{group}.{name}");
            let key = part["original_key"].as_str().unwrap_or(usual);
            let whole = columns.iter().find(|column| column.name == key);
            let whole = whole.ok_or_else(|| {
                let problem = format!("takes {name} from {key}, which is no numeric feature");
                DatasetError::invalid(&path, problem)
            })?;
            let width = whole.width();
            let bound = |name: &str| part[name].as_u64().map(|bound| bound as usize);
            let range = bound("start").zip(bound("end"));
            let range = range.filter(|(start, end)| start < end && *end <= width);
            let (start, end) = range.ok_or_else(|| {
                let problem =
                    format!("has {name} without a range start < end within the {width} of {key}");
                DatasetError::invalid(&path, problem)
            })?;
            let rows = whole.rows().flat_map(|row| &row[start..end]).copied();
            let part = RecordedColumn {
                values: rows.collect(),
                entries: whole.entries[start..end].to_vec(),
                name,
            };
            columns.push(part);
        }
    }
    Ok(())
}

/// Rows of an episode that were read so far.
struct Rows {
    episode: usize,
    n: usize,
    /// Empty if the files have no times.
    time: Vec<f64>,
    columns: Vec<RecordedColumn>,
    budget: Budget,
}

impl Rows {
    fn read_file(&mut self, path: &Path) -> Result<(), DatasetError> {
        let bytes = Bytes::from(read_bytes(path, MAX_FILE)?);
        let invalid = |problem: String| DatasetError::invalid(path, problem);
        check_parquet_footer(&bytes).map_err(invalid)?;
        let reader = SerializedFileReader::new(bytes.clone());
        let reader =
            reader.map_err(|error| invalid(format!("cannot be read as Parquet: {error}")))?;
        let file = ParquetFile { bytes, reader };
        for group in 0..file.reader.metadata().num_row_groups() {
            self.read_group(&file, group).map_err(invalid)?;
        }
        Ok(())
    }

    fn read_group(&mut self, file: &ParquetFile, group: usize) -> Result<(), String> {
        if file.n_rows(group) == 0 {
            return Ok(());
        }
        let episodes = self.numbers(file, group, "episode_index", 1)?;
        let is_ours = |episode: &f64| *episode == self.episode as f64;
        let Some(first) = episodes.iter().position(is_ours) else {
            return Ok(());
        };
        let n = episodes[first..]
            .iter()
            .take_while(|it| is_ours(it))
            .count();
        if episodes[first + n..].iter().any(is_ours) {
            return Err(format!("has rows of episode {} apart", self.episode));
        }
        if file.find(TIME).is_some() {
            let times = self.numbers(file, group, TIME, 1)?;
            self.time.extend(&times[first..first + n]);
        }
        let mut columns = std::mem::take(&mut self.columns);
        for column in &mut columns {
            let width = column.width();
            let values = self.numbers(file, group, &column.name, width)?;
            column
                .values
                .extend(&values[first * width..(first + n) * width]);
        }
        self.columns = columns;
        self.n += n;
        Ok(())
    }

    /// A column of a row group, with a number of values in each row.
    fn numbers(
        &mut self,
        file: &ParquetFile,
        group: usize,
        name: &str,
        width: usize,
    ) -> Result<Vec<f64>, String> {
        let column = file.find(name);
        let column = column.ok_or_else(|| format!("has no column {name}"))?;
        self.budget.take(file.n_values(group, column))?;
        let values = file.numbers(group, column);
        let values = values.map_err(|problem| format!("{name} {problem}"))?;
        let n = file.n_rows(group);
        if values.len() != n * width {
            let found = values.len() / n;
            return Err(format!(
                "has {found} numbers in each row of {name}, {width} expected"
            ));
        }
        Ok(values)
    }
}
