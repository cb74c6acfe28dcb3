//! Metadata files of a data set.

use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use serde_json::{Map, Value, json};

use super::groups::splits;
use super::table::{self, Column, Table};
use super::{CHUNK_SIZE, FILE_SIZE_MB, VERSION, features};
use crate::statistics::Statistics;
use crate::{DatasetInfo, EpisodeKind};

/// Location and content of an episode.
#[derive(Debug)]
pub(super) struct Episode {
    pub(super) length: usize,
    pub(super) kind: EpisodeKind,
    /// The task in words.
    pub(super) instruction: String,
    /// Index of the data file.
    pub(super) file: usize,
    /// Its first row among all rows.
    pub(super) from: usize,
    /// Statistics of each numeric feature.
    pub(super) stats: Vec<(String, Statistics)>,
}

/// `info.json`.
pub(super) fn info(info: &DatasetInfo, n_tasks: usize, episodes: &[Episode]) -> Value {
    let rate = 1.0 / info.control_timestep;
    // LeRobot expects an integer if the rate is a whole number.
    let fps = match rate.round() {
        whole if (rate - whole).abs() < 1e-6 * whole => json!(whole as u64),
        _ => json!(rate),
    };
    let kinds: Vec<EpisodeKind> = episodes.iter().map(|episode| episode.kind).collect();
    let n_frames: usize = episodes.iter().map(|episode| episode.length).sum();
    json!({
        "codebase_version": VERSION,
        "robot_type": "insonate",
        "total_episodes": episodes.len(),
        "total_frames": n_frames,
        "total_tasks": n_tasks,
        "chunks_size": CHUNK_SIZE,
        "data_files_size_in_mb": FILE_SIZE_MB,
        "video_files_size_in_mb": 200,
        "fps": fps,
        "splits": splits(&kinds, false),
        "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        "video_path": null,
        "features": features::lerobot(info),
    })
}

/// `stats.json`.
pub(super) fn stats(stats: &[(String, Statistics)]) -> Value {
    let is_picture = |name: &str| name.starts_with("observation.images.");
    let all = stats
        .iter()
        .map(|(name, stats)| (name.clone(), stats.to_json(is_picture(name))));
    Value::Object(all.collect::<Map<_, _>>())
}

/// `tasks.parquet`. The texts are the index of a pandas table.
pub(super) fn tasks(texts: &[String]) -> Result<Vec<u8>, ParquetError> {
    let table: Table = vec![
        (
            "task_index".to_owned(),
            Column::Int((0..texts.len() as i64).collect()),
        ),
        ("task".to_owned(), Column::Text(texts.to_vec())),
    ];
    let column = |name: &str, kind: &str, numpy: &str| json!({ "name": name, "field_name": name, "pandas_type": kind, "numpy_type": numpy, "metadata": null });
    let pandas = json!({
        "index_columns": ["task"],
        "column_indexes": [{
            "name": null, "field_name": null, "pandas_type": "unicode", "numpy_type": "object",
            "metadata": { "encoding": "UTF-8" },
        }],
        "columns": [column("task_index", "int64", "int64"), column("task", "unicode", "object")],
        "creator": { "library": "insonate", "version": env!("CARGO_PKG_VERSION") },
        "pandas_version": "2.2.0",
    });
    let metadata = vec![KeyValue::new("pandas".to_owned(), pandas.to_string())];
    let mut file = table::create(Vec::new(), &table, metadata)?;
    table::append(&mut file, &table)?;
    file.into_inner()
}

/// `episodes/…/file-000.parquet`.
pub(super) fn episodes(episodes: &[Episode]) -> Result<Vec<u8>, ParquetError> {
    let ints = |of: &dyn Fn(&Episode) -> usize| {
        Column::Int(episodes.iter().map(|e| of(e) as i64).collect())
    };
    let instructions = episodes.iter().map(|episode| episode.instruction.clone());
    let mut table: Table = vec![
        (
            "episode_index".to_owned(),
            Column::Int((0..episodes.len() as i64).collect()),
        ),
        (
            "tasks".to_owned(),
            Column::TextList(instructions.collect(), 1),
        ),
        ("length".to_owned(), ints(&|e| e.length)),
        (
            "data/chunk_index".to_owned(),
            ints(&|e| e.file / CHUNK_SIZE),
        ),
        ("data/file_index".to_owned(), ints(&|e| e.file % CHUNK_SIZE)),
        ("dataset_from_index".to_owned(), ints(&|e| e.from)),
        ("dataset_to_index".to_owned(), ints(&|e| e.from + e.length)),
        ("meta/episodes/chunk_index".to_owned(), ints(&|_| 0)),
        ("meta/episodes/file_index".to_owned(), ints(&|_| 0)),
    ];
    let n_stats = episodes.first().map_or(0, |episode| episode.stats.len());
    for at in 0..n_stats {
        add_stats(&mut table, episodes, at);
    }
    let mut file = table::create(Vec::new(), &table, Vec::new())?;
    table::append(&mut file, &table)?;
    file.into_inner()
}

/// Statistics of one feature in each episode.
fn add_stats(table: &mut Table, episodes: &[Episode], at: usize) {
    let (name, first) = &episodes[0].stats[at];
    let width = first.mean.len();
    let doubles = |of: &dyn Fn(&Statistics) -> Vec<f64>| {
        let values = episodes.iter().flat_map(|episode| of(&episode.stats[at].1));
        Column::DoubleList(values.collect(), width)
    };
    let counts = episodes
        .iter()
        .map(|episode| episode.stats[at].1.count as i64);
    let columns = [
        ("min", doubles(&|stats| stats.min.clone())),
        ("max", doubles(&|stats| stats.max.clone())),
        ("mean", doubles(&|stats| stats.mean.clone())),
        ("std", doubles(&Statistics::std)),
        ("count", Column::IntList(counts.collect(), 1)),
    ];
    table.extend(columns.map(|(of, column)| (format!("stats/{name}/{of}"), column)));
}
