//! Reads a LeRobot data set.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use insonate_tables::{check_parquet_footer, guarded};
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;

use super::column::ParquetFile;
use super::features::{picture_key, signal_key};
use super::{
    ACTION, DONE, ExtraInfo, INFO, OURS, REWARD, STATE, SUCCESS, TRUNCATED, VERSION, data_file,
};
use crate::limits::{Budget, MAX_DEMONSTRATIONS, MAX_TEXT};
use crate::{
    CameraInfo, Dataset, DatasetError, DatasetInfo, Demonstration, EpisodeKind, ReadOptions,
    picture,
};

/// Maximum size of a data file [bytes].
pub(super) const MAX_FILE: u64 = 2 << 30;

/// Maximum width and height of an image [pixels].
const MAX_SIDE: u64 = 4096;

/// Reads a data set from a folder.
pub(crate) fn read(folder: &Path, options: ReadOptions) -> Result<Dataset, DatasetError> {
    let meta = folder.join(INFO);
    if !meta.is_file() {
        let problem = format!(
            "has no {INFO}, as LeRobot's data sets do; a recording that was cut off leaves none: record again"
        );
        return Err(DatasetError::invalid(folder, problem));
    }
    let found = read_json(&meta)?;
    let version = found["codebase_version"].as_str().unwrap_or("no version");
    if version != VERSION {
        let problem = format!("is of {version}; {VERSION} is read: convert it with LeRobot");
        return Err(DatasetError::invalid(&meta, problem));
    }
    let ours = read_own(folder)?.unwrap_or_default();
    let mut reader = Reader {
        options,
        budget: Budget::default(),
        info: described(&meta, &found, ours.info)?,
        seeds: ours.seeds,
        kinds: ours.kinds,
        instructions: ours.instructions,
        demonstrations: Vec::new(),
    };
    let n_files = (0..MAX_DEMONSTRATIONS)
        .take_while(|&index| folder.join(data_file(index)).is_file())
        .count();
    for path in (0..n_files).map(|index| folder.join(data_file(index))) {
        guarded(|| reader.read_file(&path)).unwrap_or_else(|| {
            let problem = "is damaged: the Parquet library cannot read it";
            Err(DatasetError::invalid(&path, problem))
        })?;
    }
    let (expected, n) = (
        found["total_episodes"].as_u64(),
        reader.demonstrations.len(),
    );
    if expected != Some(n as u64) {
        let problem = format!("has {n} episodes, and not the number that {INFO} says");
        return Err(DatasetError::invalid(folder, problem));
    }
    Ok(Dataset {
        info: reader.info,
        demonstrations: reader.demonstrations,
    })
}

/// insonate's own metadata; `None` for data sets of other programs.
pub(super) fn read_own(folder: &Path) -> Result<Option<ExtraInfo>, DatasetError> {
    let path = folder.join(OURS);
    if !path.is_file() {
        return Ok(None);
    }
    let own = serde_json::from_value(read_json(&path)?);
    own.map(Some)
        .map_err(|error| DatasetError::invalid(&path, format!("cannot be read: {error}")))
}

/// Information from the features, completed by insonate's own metadata.
fn described(
    file: &Path,
    found: &Value,
    mut info: DatasetInfo,
) -> Result<DatasetInfo, DatasetError> {
    let invalid = |problem: String| DatasetError::invalid(file, problem);
    let features = found["features"]
        .as_object()
        .ok_or_else(|| invalid("has no features".to_owned()))?;
    for (name, names) in [
        (STATE, &mut info.observation_names),
        (ACTION, &mut info.action_names),
    ] {
        let width = features
            .get(name)
            .and_then(|feature| feature["shape"][0].as_u64());
        let width = width.filter(|width| (1..=1 << 20).contains(width));
        let width = width.ok_or_else(|| invalid(format!("has no {name} of shape [n]")))?;
        if names.len() as u64 != width {
            *names = (0..width).map(|i| format!("{name}_{i}")).collect();
        }
    }
    if info.cameras.is_empty() {
        for (name, feature) in features
            .iter()
            .filter(|(_, feature)| feature["dtype"] == "image")
        {
            let side = |at: usize| {
                feature["shape"][at]
                    .as_u64()
                    .filter(|side| (1..=MAX_SIDE).contains(side))
            };
            let (Some(height), Some(width)) = (side(0), side(1)) else {
                return Err(invalid(format!(
                    "has {name} of no shape [height, width, 3]"
                )));
            };
            let name = name.trim_start_matches("observation.images.").to_owned();
            info.cameras.push(CameraInfo {
                name,
                width: width as u32,
                height: height as u32,
            });
        }
    }
    if let Some(rate) = found["fps"]
        .as_f64()
        .filter(|rate| *rate > 0.0 && info.control_timestep == 0.0)
    {
        info.control_timestep = 1.0 / rate;
    }
    Ok(info)
}

pub(super) fn read_json(path: &Path) -> Result<Value, DatasetError> {
    let text = read_bytes(path, MAX_TEXT)?;
    serde_json::from_slice(&text)
        .map_err(|error| DatasetError::invalid(path, format!("is not JSON: {error}")))
}

pub(super) fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, DatasetError> {
    let file = File::open(path).map_err(DatasetError::read(path))?;
    let mut bytes = Vec::new();
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(DatasetError::read(path))?;
    if bytes.len() as u64 > limit {
        return Err(DatasetError::invalid(
            path,
            format!("has more than {limit} bytes"),
        ));
    }
    Ok(bytes)
}

struct Reader {
    options: ReadOptions,
    budget: Budget,
    info: DatasetInfo,
    seeds: Vec<u64>,
    kinds: Vec<EpisodeKind>,
    instructions: Vec<String>,
    demonstrations: Vec<Demonstration>,
}

impl Reader {
    fn read_file(&mut self, path: &Path) -> Result<(), DatasetError> {
        let bytes = Bytes::from(read_bytes(path, MAX_FILE)?);
        let invalid = |problem: String| DatasetError::invalid(path, problem);
        check_parquet_footer(&bytes).map_err(invalid)?;
        let reader = SerializedFileReader::new(bytes.clone());
        let reader =
            reader.map_err(|error| invalid(format!("cannot be read as Parquet: {error}")))?;
        let file = ParquetFile { bytes, reader };
        for index in 0..file.reader.metadata().num_row_groups() {
            Group {
                path: path.to_owned(),
                file: &file,
                index,
            }
            .read_into(self)?;
        }
        Ok(())
    }

    /// The demonstration of a row's episode.
    fn demonstration(&mut self, episode: usize) -> Option<&mut Demonstration> {
        if episode == self.demonstrations.len() && episode < MAX_DEMONSTRATIONS {
            let instruction = self.instructions.get(episode).cloned();
            let own = instruction.filter(|text| *text != self.info.description);
            self.demonstrations.push(Demonstration {
                seed: self.seeds.get(episode).copied().unwrap_or(0),
                kind: self.kinds.get(episode).copied().unwrap_or_default(),
                instruction: own.unwrap_or_default(),
                ..Demonstration::default()
            });
        }
        // Episodes are contiguous.
        let is_last = episode + 1 == self.demonstrations.len();
        self.demonstrations.last_mut().filter(|_| is_last)
    }
}

/// One row group of a file, by its index.
struct Group<'a> {
    path: PathBuf,
    file: &'a ParquetFile,
    index: usize,
}

impl Group<'_> {
    fn read_into(&self, reader: &mut Reader) -> Result<(), DatasetError> {
        let n = self.file.n_rows(self.index);
        if n == 0 {
            return Ok(());
        }
        let [n_obs, n_actions] =
            [&reader.info.observation_names, &reader.info.action_names].map(Vec::len);
        let budget = &mut reader.budget;
        let episodes = self.required("episode_index", 1, budget)?;
        let observations = self.required(STATE, n_obs, budget)?;
        let actions = self.required(ACTION, n_actions, budget)?;
        let [rewards, done, truncated, success] = [REWARD, DONE, TRUNCATED, SUCCESS].map(|name| {
            self.file
                .find(name)
                .map(|_| self.required(name, 1, budget))
                .transpose()
        });
        let (rewards, done, truncated, success) = (rewards?, done?, truncated?, success?);
        let at = |column: &Option<Vec<f64>>, row: usize| column.as_ref().map(|values| values[row]);
        let infos = reader.info.signals.clone();
        let budget = &mut reader.budget;
        let signals = infos.iter().map(|signal| {
            let width = signal.entries.len();
            let values = self.required(&signal_key(signal), width, budget)?;
            Ok((values, width))
        });
        let signals: Vec<(Vec<f64>, usize)> = signals.collect::<Result<_, DatasetError>>()?;
        let cameras = if reader.options.frames {
            reader.info.cameras.clone()
        } else {
            Vec::new()
        };
        for row in 0..n {
            let Some(demonstration) = reader.demonstration(episodes[row] as usize) else {
                return Err(self.invalid(format!("has episode {} out of order", episodes[row])));
            };
            let single = |values: &[f64], width: usize| -> Vec<f32> {
                values[row * width..][..width]
                    .iter()
                    .map(|&value| value as f32)
                    .collect()
            };
            demonstration
                .observations
                .extend(single(&observations, n_obs));
            demonstration.actions.extend(single(&actions, n_actions));
            demonstration
                .rewards
                .push(at(&rewards, row).unwrap_or(0.0) as f32);
            demonstration.is_terminated =
                at(&done, row) == Some(1.0) && at(&truncated, row) != Some(1.0);
            demonstration.is_success = at(&success, row).map(|success| success != 0.0);
            demonstration.frames.resize(cameras.len(), Vec::new());
            demonstration.signals.resize(signals.len(), Vec::new());
            for (own, (values, width)) in demonstration.signals.iter_mut().zip(&signals) {
                own.extend(single(values, *width));
            }
        }
        for (index, camera) in cameras.iter().enumerate() {
            self.read_frames(reader, &episodes, index, camera)?;
        }
        Ok(())
    }

    /// A column with a given number of values in each row.
    fn required(
        &self,
        name: &str,
        width: usize,
        budget: &mut Budget,
    ) -> Result<Vec<f64>, DatasetError> {
        let column = self
            .file
            .find(name)
            .ok_or_else(|| self.invalid(format!("has no column {name}")))?;
        budget.numbers(&self.path, self.file.n_values(self.index, column))?;
        let values = self.file.numbers(self.index, column);
        let values = values.map_err(|problem| self.invalid(format!("{name} {problem}")))?;
        let n = self.file.n_rows(self.index);
        if values.len() != n * width {
            let found = values.len() / n;
            return Err(self.invalid(format!(
                "has {found} numbers in each row of {name}, {width} expected"
            )));
        }
        Ok(values)
    }

    fn read_frames(
        &self,
        reader: &mut Reader,
        episodes: &[f64],
        index: usize,
        camera: &CameraInfo,
    ) -> Result<(), DatasetError> {
        let name = picture_key(camera);
        let column = self
            .file
            .find(&name)
            .ok_or_else(|| self.invalid(format!("has no column {name}")))?;
        let n_bytes = (episodes.len() as u64).saturating_mul(camera.frame_len() as u64);
        reader.budget.frame_bytes(&self.path, n_bytes)?;
        let pictures = self.file.pictures(self.index, column);
        let pictures = pictures.map_err(|problem| self.invalid(format!("{name} {problem}")))?;
        for (row, (episode, picture)) in episodes.iter().zip(&pictures).enumerate() {
            let frames = &mut reader.demonstrations[*episode as usize].frames[index];
            picture::decode(camera, picture, frames)
                .map_err(|problem| self.invalid(format!("{name}, row {row}, {problem}")))?;
        }
        Ok(())
    }

    fn invalid(&self, problem: String) -> DatasetError {
        DatasetError::invalid(&self.path, problem)
    }
}
