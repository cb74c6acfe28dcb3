//! Writes a data set, one Parquet file and one video of each camera per episode.

use std::fs;
use std::path::{Path, PathBuf};

use insonate_files::{Claim, FileError, FileWriter, FolderParts, OutputFolder, write};
use parquet::errors::ParquetError;
use serde_json::{Map, Value, json};

use super::super::groups::{Texts, splits};
use super::super::{ExtraInfo, table};
use super::features::picture_keys;
use super::rows::{self, Numbers, Sources};
use super::{CHUNK_SIZE, VERSION, features, readme, video};
use crate::sink::Sink;
use crate::statistics::Statistics;
use crate::{CameraInfo, DatasetError, DatasetInfo, Demonstration, EpisodeKind, RigInfo};

/// A data set during writing. It replaces an earlier one when it is complete.
#[derive(Debug)]
pub(crate) struct OpenHWriter {
    info: DatasetInfo,
    rig: RigInfo,
    sources: Sources,
    seeds: Vec<u64>,
    kinds: Vec<EpisodeKind>,
    tasks: Texts,
    instructions: Vec<String>,
    /// Indices of episodes that failed.
    failed: Vec<usize>,
    /// Lines of `episodes.jsonl` and `episodes_stats.jsonl`.
    episodes: Vec<String>,
    stats: Vec<String>,
    n_frames: usize,
    parts: FolderParts,
    /// Locked until the files are in it, or removed.
    folder: OutputFolder,
}

impl OpenHWriter {
    pub(crate) fn create(path: &Path, info: &DatasetInfo) -> Result<Self, DatasetError> {
        let (Some(sources), Some(rig)) = (Sources::of(info), &info.rig) else {
            let problem = "cannot be of Open-H's format: it describes an arm with a probe, which this task does not have";
            return Err(DatasetError::invalid(path, problem));
        };
        let rate = 1.0 / info.control_timestep;
        if (rate - rate.round()).abs() > 1e-6 * rate {
            let problem = format!(
                "cannot be of Open-H's format: it has a whole number of frames per second, but a control step of {} s makes {rate:.3}",
                info.control_timestep
            );
            return Err(DatasetError::invalid(path, &problem));
        }
        video::check(path, &info.cameras)?;
        let folder = OutputFolder::create(path, Claim::resuming("demonstrate"))?;
        super::super::writer::check_folder(path)?;
        Ok(Self {
            info: info.clone(),
            rig: rig.clone(),
            sources,
            seeds: Vec::new(),
            kinds: Vec::new(),
            tasks: Texts::default(),
            instructions: Vec::new(),
            failed: Vec::new(),
            episodes: Vec::new(),
            stats: Vec::new(),
            n_frames: 0,
            parts: FolderParts::begin(&folder)?,
            folder,
        })
    }

    fn path(&self, file: &str) -> PathBuf {
        self.parts.path().join(file)
    }

    /// Writes the rows of an episode.
    fn write_rows(&self, file: &str, table: &table::Table) -> Result<(), DatasetError> {
        let path = self.path(file);
        make_parent(&path)?;
        let failed = |error: ParquetError| {
            DatasetError::invalid(&path, format!("cannot be written: {error}"))
        };
        let out = FileWriter::create(&path)?;
        let mut rows = table::create(out, table, Vec::new()).map_err(failed)?;
        table::append(&mut rows, table).map_err(failed)?;
        Ok(rows.into_inner().map_err(failed)?.commit()?)
    }

    fn description(&self) -> Value {
        let rate = 1.0 / self.info.control_timestep;
        let n = self.seeds.len();
        json!({
            "codebase_version": VERSION,
            "robot_type": self.rig.robot,
            "total_episodes": n,
            "total_frames": self.n_frames,
            "total_tasks": self.tasks.as_slice().len(),
            "total_videos": n * self.info.cameras.len(),
            "total_chunks": n.div_ceil(CHUNK_SIZE),
            "chunks_size": CHUNK_SIZE,
            "fps": rate.round() as u64,
            "splits": splits(&self.kinds, true),
            "data_path": "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
            "video_path": "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4",
            "features": features::all(&self.info, &self.rig, self.sources),
        })
    }
}

impl Sink for OpenHWriter {
    fn push(&mut self, demonstration: &Demonstration) -> Result<(), DatasetError> {
        let (index, n) = (self.seeds.len(), demonstration.len());
        let instruction = demonstration.instruction(&self.info);
        let task = self.tasks.index(instruction);
        let chunk = index / CHUNK_SIZE;
        let place = [index, self.n_frames, task];
        let numbers = rows::numbers(&self.info, &self.rig, self.sources, demonstration);
        let table = rows::table(&numbers, &self.info, &self.rig, demonstration, place);
        self.write_rows(
            &format!("data/chunk-{chunk:03}/episode_{index:06}.parquet"),
            &table,
        )?;
        let rate = 1.0 / self.info.control_timestep;
        let mut stats = statistics(&numbers);
        let keys = picture_keys(&self.info.cameras);
        for ((camera, key), frames) in self
            .info
            .cameras
            .iter()
            .zip(keys)
            .zip(&demonstration.frames)
        {
            let path = self.path(&format!(
                "videos/chunk-{chunk:03}/{key}/episode_{index:06}.mp4"
            ));
            make_parent(&path)?;
            let frames = &frames[..n * camera.frame_len()];
            video::write(&path, camera, frames, rate)?;
            stats.insert(key, pixel_statistics(camera, frames));
        }
        let episode = json!({ "episode_index": index, "tasks": [instruction], "length": n });
        self.episodes.push(format!("{episode}\n"));
        let stats = json!({ "episode_index": index, "stats": stats });
        self.stats.push(format!("{stats}\n"));
        self.seeds.push(demonstration.seed);
        self.kinds.push(demonstration.kind);
        self.instructions.push(instruction.to_owned());
        self.n_frames += n;
        if demonstration.is_success == Some(false) {
            self.failed.push(index);
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), DatasetError> {
        let tasks = self
            .tasks
            .as_slice()
            .iter()
            .enumerate()
            .map(|(index, text)| {
                let task = json!({ "task_index": index, "task": text });
                format!("{task}\n")
            });
        let tasks: String = tasks.collect();
        let info = self.description();
        let ours = ExtraInfo {
            info: self.info.clone(),
            seeds: self.seeds.clone(),
            kinds: self.kinds.clone(),
            instructions: self.instructions.clone(),
        };
        let ours = serde_json::to_value(ours).map_err(|error| {
            DatasetError::invalid(&self.path("meta"), format!("cannot be written: {error}"))
        })?;
        let readme = readme::text(&self.info, &self.rig, &self.kinds, &self.failed);
        make_parent(&self.path("meta/info.json"))?;
        for (file, content) in [
            ("meta/episodes.jsonl", self.episodes.concat()),
            ("meta/episodes_stats.jsonl", self.stats.concat()),
            ("meta/tasks.jsonl", tasks),
            ("meta/README.md", readme),
            ("meta/insonate.json", format!("{ours:#}\n")),
            ("meta/info.json", format!("{info:#}\n")),
        ] {
            write(self.path(file), content.as_bytes())?;
        }
        Ok(self.parts.commit(&self.folder)?)
    }
}

/// Statistics of numeric features.
fn statistics(numbers: &[Numbers]) -> Map<String, Value> {
    let of = |(name, values, width): &Numbers| {
        let mut stats = Statistics::new(*width);
        for row in values.chunks_exact((*width).max(1)) {
            stats.add(row.iter().copied().map(f64::from));
        }
        ((*name).to_owned(), stats.to_json(false))
    };
    numbers.iter().map(of).collect()
}

/// Statistics of the channels of some frames, from 0 to 1. The count is that of frames, as in LeRobot.
fn pixel_statistics(camera: &CameraInfo, frames: &[u8]) -> Value {
    /// Frames are taken out of ten.
    const EVERY: usize = 10;
    let mut stats = Statistics::new(3);
    let chosen = frames.chunks_exact(camera.frame_len()).step_by(EVERY);
    let n_chosen = chosen.len();
    for pixel in chosen.flat_map(|frame| frame.chunks_exact(3)) {
        stats.add(pixel.iter().map(|&value| f64::from(value) / 255.0));
    }
    let mut stats = stats.to_json(true);
    stats["count"] = json!([n_chosen]);
    stats
}

fn make_parent(path: &Path) -> Result<(), DatasetError> {
    let parent = path.parent().unwrap_or(path);
    let made = fs::create_dir_all(parent);
    Ok(made.map_err(|source| FileError::Folder {
        path: parent.to_owned(),
        source,
    })?)
}
