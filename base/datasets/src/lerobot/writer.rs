//! Writes a LeRobot data set, one row group per episode.

use std::fs;
use std::path::{Path, PathBuf};

use insonate_files::{Claim, FileError, FileWriter, FolderParts, OutputFolder, write};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::writer::SerializedFileWriter;

use super::features::{hugging_face, picture_key, signal_key};
use super::groups::Texts;
use super::meta::{self, Episode};
use super::table::{self, Column, Table, floats};
use super::{
    ACTION, DONE, EPISODES, ExtraInfo, FILE_SIZE_MB, INFO, OURS, REWARD, STATE, STATS, SUCCESS,
    TASKS, TRUNCATED, data_file,
};
use crate::sink::Sink;
use crate::statistics::Statistics;
use crate::{DatasetError, DatasetInfo, Demonstration, picture};

/// A data set during writing. It replaces an earlier one when it is complete.
pub(crate) struct LeRobotWriter {
    info: DatasetInfo,
    seeds: Vec<u64>,
    tasks: Texts,
    episodes: Vec<Episode>,
    /// Statistics of each feature over all episodes.
    stats: Vec<(String, Statistics)>,
    /// The current data file, and the number of finished ones.
    data: Option<SerializedFileWriter<FileWriter>>,
    n_files: usize,
    n_frames: usize,
    parts: FolderParts,
    /// Locked until the files are in it, or removed.
    folder: OutputFolder,
}

impl std::fmt::Debug for LeRobotWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LeRobotWriter")
            .field("parts", &self.parts)
            .field("n_frames", &self.n_frames)
            .finish_non_exhaustive()
    }
}

impl LeRobotWriter {
    pub(crate) fn create(path: &Path, info: &DatasetInfo) -> Result<Self, DatasetError> {
        let folder = OutputFolder::create(path, Claim::resuming("demonstrate"))?;
        check_folder(path)?;
        let parts = FolderParts::begin(&folder)?;
        for part in ["meta/episodes/chunk-000", "data/chunk-000"] {
            make_folder(&parts.path().join(part))?;
        }
        let mut stats = vec![
            (
                STATE.to_owned(),
                Statistics::new(info.observation_names.len()),
            ),
            (ACTION.to_owned(), Statistics::new(info.action_names.len())),
            (REWARD.to_owned(), Statistics::new(1)),
        ];
        stats.extend(
            info.signals
                .iter()
                .map(|signal| (signal_key(signal), Statistics::new(signal.entries.len()))),
        );
        stats.extend(
            info.cameras
                .iter()
                .map(|camera| (picture_key(camera), Statistics::new(3))),
        );
        Ok(Self {
            info: info.clone(),
            seeds: Vec::new(),
            tasks: Texts::default(),
            episodes: Vec::new(),
            stats,
            data: None,
            n_files: 0,
            n_frames: 0,
            parts,
            folder,
        })
    }
}

impl Sink for LeRobotWriter {
    fn push(&mut self, demonstration: &Demonstration) -> Result<(), DatasetError> {
        let instruction = demonstration.instruction(&self.info).to_owned();
        let task = self.tasks.index(&instruction);
        let table = self.table(demonstration, task)?;
        let path = self.path(&data_file(self.n_files));
        let mut data = match self.data.take() {
            Some(data) => data,
            None => self.begin(&path, &table)?,
        };
        table::append(&mut data, &table).map_err(|error| failed(&path, error))?;
        let stats = self.add_statistics(demonstration);
        self.episodes.push(Episode {
            length: demonstration.len(),
            kind: demonstration.kind,
            instruction,
            file: self.n_files,
            from: self.n_frames,
            stats,
        });
        self.seeds.push(demonstration.seed);
        self.n_frames += demonstration.len();
        let is_full = data.bytes_written() > FILE_SIZE_MB << 20;
        self.data = Some(data);
        if is_full {
            self.end_file()?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), DatasetError> {
        self.end_file()?;
        let parquet = |file: &str, made: Result<Vec<u8>, ParquetError>| {
            made.map_err(|error| failed(&self.path(file), error))
        };
        let tasks = meta::tasks(self.tasks.as_slice());
        write(self.path(TASKS), &parquet(TASKS, tasks)?)?;
        let episodes = meta::episodes(&self.episodes);
        write(self.path(EPISODES), &parquet(EPISODES, episodes)?)?;
        let ours = ExtraInfo {
            info: self.info.clone(),
            seeds: self.seeds.clone(),
            kinds: self.episodes.iter().map(|episode| episode.kind).collect(),
            instructions: self
                .episodes
                .iter()
                .map(|episode| episode.instruction.clone())
                .collect(),
        };
        let ours = serde_json::to_value(ours).map_err(|error| failed(&self.path(OURS), error))?;
        let info = meta::info(&self.info, self.tasks.as_slice().len(), &self.episodes);
        for (file, content) in [
            (OURS, ours),
            (STATS, meta::stats(&self.stats)),
            (INFO, info),
        ] {
            write(self.path(file), format!("{content:#}\n").as_bytes())?;
        }
        Ok(self.parts.commit(&self.folder)?)
    }
}

impl LeRobotWriter {
    fn begin(
        &self,
        path: &Path,
        like: &Table,
    ) -> Result<SerializedFileWriter<FileWriter>, DatasetError> {
        make_folder(path.parent().unwrap_or(path))?;
        let features = hugging_face(&self.info).to_string();
        let metadata = vec![KeyValue::new("huggingface".to_owned(), features)];
        table::create(FileWriter::create(path)?, like, metadata)
            .map_err(|error| failed(path, error))
    }

    fn end_file(&mut self) -> Result<(), DatasetError> {
        if let Some(data) = self.data.take() {
            let path = self.path(&data_file(self.n_files));
            data.into_inner()
                .map_err(|error| failed(&path, error))?
                .commit()?;
            self.n_files += 1;
        }
        Ok(())
    }

    /// Rows of an episode, with the index of its task.
    fn table(&self, demonstration: &Demonstration, task: usize) -> Result<Table, DatasetError> {
        let n = demonstration.len();
        let [n_obs, n_actions] =
            [&self.info.observation_names, &self.info.action_names].map(Vec::len);
        let observations = demonstration.observations[..n * n_obs].to_vec();
        let mut table = vec![
            (STATE.to_owned(), floats(observations, n_obs)),
            (
                ACTION.to_owned(),
                floats(demonstration.actions.clone(), n_actions),
            ),
        ];
        for (signal, values) in self.info.signals.iter().zip(&demonstration.signals) {
            let width = signal.entries.len();
            let values = values[..n * width].to_vec();
            table.push((signal_key(signal), floats(values, width)));
        }
        for (camera, frames) in self.info.cameras.iter().zip(&demonstration.frames) {
            let files = frames.chunks_exact(camera.frame_len()).take(n);
            let files: Result<Vec<_>, _> = files.map(|rgb| picture::encode(camera, rgb)).collect();
            let files = files.map_err(|error| failed(self.parts.path(), error))?;
            table.push((picture_key(camera), Column::Pictures(files)));
        }
        let last = |value: bool| Column::Bool((1..=n).map(|step| value && step == n).collect());
        let ints = |first: usize| Column::Int((first..first + n).map(|i| i as i64).collect());
        let episode = self.episodes.len() as i64;
        let time = |step| (step as f64 * self.info.control_timestep) as f32;
        let rest = [
            (REWARD, Column::Float(demonstration.rewards.clone())),
            (DONE, last(true)),
            (TRUNCATED, last(!demonstration.is_terminated)),
            (SUCCESS, last(demonstration.is_success == Some(true))),
            ("timestamp", Column::Float((0..n).map(time).collect())),
            ("frame_index", ints(0)),
            ("episode_index", Column::Int(vec![episode; n])),
            ("index", ints(self.n_frames)),
            ("task_index", Column::Int(vec![task as i64; n])),
        ];
        table.extend(rest.map(|(name, column)| (name.to_owned(), column)));
        Ok(table)
    }

    /// Adds an episode to the statistics. Returns the episode's statistics of the numeric features.
    fn add_statistics(&mut self, demonstration: &Demonstration) -> Vec<(String, Statistics)> {
        let n = demonstration.len();
        let n_obs = self.info.observation_names.len();
        let parts = [
            &demonstration.observations[..n * n_obs],
            &demonstration.actions,
            &demonstration.rewards,
        ];
        let signals = self.info.signals.iter().zip(&demonstration.signals);
        let signals = signals.map(|(signal, values)| &values[..n * signal.entries.len()]);
        let n_numeric = parts.len() + self.info.signals.len();
        let mut own = Vec::new();
        for ((name, total), values) in self.stats.iter_mut().zip(parts.into_iter().chain(signals)) {
            let width = total.mean.len();
            let mut stats = Statistics::new(width);
            for row in values.chunks_exact(width.max(1)) {
                stats.add(row.iter().copied().map(f64::from));
                total.add(row.iter().copied().map(f64::from));
            }
            own.push((name.clone(), stats));
        }
        for ((_, total), frames) in self.stats[n_numeric..]
            .iter_mut()
            .zip(&demonstration.frames)
        {
            for pixel in frames.chunks_exact(3) {
                total.add(pixel.iter().map(|&value| f64::from(value) / 255.0));
            }
        }
        own
    }

    fn path(&self, file: &str) -> PathBuf {
        self.parts.path().join(file)
    }
}

/// Refuses folders that contain anything except an earlier data set.
pub(super) fn check_folder(folder: &Path) -> Result<(), DatasetError> {
    let entries = fs::read_dir(folder).map_err(DatasetError::read(folder))?;
    let names: Result<Vec<_>, _> = entries.map(|entry| Ok(entry?.file_name())).collect();
    let names = names.map_err(DatasetError::read(folder))?;
    let names: Vec<_> = names.iter().map(|name| name.to_string_lossy()).collect();
    let is_ours = |name: &str| ["data", "meta", "videos"].contains(&name);
    let is_known = |name: &str| name.starts_with('.') || is_ours(name);
    let problem = if let Some(name) = names.iter().find(|name| !is_known(name)) {
        format!("holds {name}, which is no data set: choose a new folder")
    } else if let Some(name) = names.iter().find(|name| is_ours(name))
        && !folder.join(INFO).is_file()
    {
        format!(
            "holds {name} but no {INFO}, so no whole data set: remove {name}, or choose a new folder"
        )
    } else {
        return Ok(());
    };
    Err(DatasetError::invalid(folder, problem))
}

fn make_folder(path: &Path) -> Result<(), DatasetError> {
    let made = fs::create_dir_all(path);
    Ok(made.map_err(|source| FileError::Folder {
        path: path.to_owned(),
        source,
    })?)
}

fn failed(path: &Path, error: impl std::fmt::Display) -> DatasetError {
    DatasetError::invalid(path, format!("cannot be written: {error}"))
}
