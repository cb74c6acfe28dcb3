//! Writes a file, one demonstration after the other: memory holds one of them.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use hdf5_pure::{
    AttrValue, Error, File, FileAccessProperties, FileBuilder, StagedGroup, SyncPolicy,
};
use insonate_files::FileWriter;
use serde_json::{Map, Value, json};

use super::image_key;
use crate::sink::Sink;
use crate::{DatasetError, DatasetInfo, Demonstration, EpisodeKind};

/// robomimic's enum value for Gym environments.
const GYM: u32 = 2;

/// One demonstration out of this number is for validation.
const VALID_EVERY: usize = 10;

/// Deflate level of images.
const DEFLATE: u32 = 1;

/// A file during writing, next to its place, to which it is moved when it is complete.
pub(crate) struct RobomimicWriter {
    path: PathBuf,
    info: DatasetInfo,
    env_args: Value,
    /// Open until the file is complete.
    file: Option<File>,
    partial: PathBuf,
    kinds: Vec<EpisodeKind>,
    n_steps: usize,
}

impl std::fmt::Debug for RobomimicWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RobomimicWriter")
            .field("path", &self.path)
            .field("n_steps", &self.n_steps)
            .finish_non_exhaustive()
    }
}

impl RobomimicWriter {
    pub(crate) fn new(path: &Path, info: &DatasetInfo) -> Result<Self, DatasetError> {
        if path.is_dir() {
            let problem = "is a folder; robomimic wants a file, such as demonstrations.hdf5";
            return Err(DatasetError::invalid(path, problem));
        }
        let env_args = env_args(info).map_err(|error| {
            DatasetError::invalid(path, format!("cannot store its settings: {error}"))
        })?;
        let partial = partial_path(path);
        Ok(Self {
            file: Some(begin(path, &partial)?),
            path: path.to_owned(),
            info: info.clone(),
            env_args,
            partial,
            kinds: Vec::new(),
            n_steps: 0,
        })
    }

    /// Describes a change of the file and writes it.
    fn change(
        &self,
        describe: impl FnOnce(&File) -> Result<(), Error>,
    ) -> Result<(), DatasetError> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let changed = describe(file).and_then(|()| file.commit());
        changed.map_err(|error| failed(&self.path, error))
    }

    fn add_arrays(&self, group: &mut StagedGroup<'_>, demonstration: &Demonstration) {
        let n = demonstration.len();
        let shape = |width: usize| [n as u64, width as u64];
        let rewards: Vec<f64> = demonstration
            .rewards
            .iter()
            .map(|&r| f64::from(r))
            .collect();
        let mut dones = vec![0i64; n];
        dones[n - 1] = i64::from(demonstration.is_terminated);
        group.create_dataset("actions", |array| {
            array
                .with_f32_data(&demonstration.actions)
                .with_shape(&shape(self.info.action_names.len()));
        });
        group.create_dataset("rewards", |array| {
            array.with_f64_data(&rewards).with_shape(&[n as u64]);
        });
        group.create_dataset("dones", |array| {
            array.with_i64_data(&dones).with_shape(&[n as u64]);
        });
        if !demonstration.states.is_empty() {
            group.create_dataset("states", |array| {
                array
                    .with_f64_data(&demonstration.states)
                    .with_shape(&shape(demonstration.states.len() / n));
            });
        }
    }

    /// Adds observations, signals and images before each step, and after it.
    fn add_observations(&self, group: &mut StagedGroup<'_>, demonstration: &Demonstration) {
        let n = demonstration.len();
        for (name, first) in [("obs", 0), ("next_obs", 1)] {
            group.create_group_with(name, |part| {
                let rows =
                    |values: &[f32], width: usize| values[first * width..][..n * width].to_vec();
                let n_obs = self.info.observation_names.len();
                let mut tables = vec![("state", rows(&demonstration.observations, n_obs), n_obs)];
                for (signal, values) in self.info.signals.iter().zip(&demonstration.signals) {
                    let width = signal.entries.len();
                    tables.push((&signal.name, rows(values, width), width));
                }
                for (name, values, width) in tables {
                    part.create_dataset(name, |array| {
                        array
                            .with_f32_data(&values)
                            .with_shape(&[n as u64, width as u64]);
                    });
                }
                for (camera, frames) in self.info.cameras.iter().zip(&demonstration.frames) {
                    let frame = camera.frame_len();
                    let (height, width) = (u64::from(camera.height), u64::from(camera.width));
                    part.create_dataset(&image_key(camera), |array| {
                        array
                            .with_u8_data(&frames[first * frame..][..n * frame])
                            .with_shape(&[n as u64, height, width, 3])
                            .with_chunks(&[1, height, width, 3])
                            .with_deflate(DEFLATE);
                    });
                }
            });
        }
    }
}

impl Sink for RobomimicWriter {
    fn push(&mut self, demonstration: &Demonstration) -> Result<(), DatasetError> {
        let (index, n) = (self.kinds.len(), demonstration.len());
        self.change(|file| {
            let name = format!("data/demo_{index}");
            file.root().create_group_with(&name, |group| {
                group.set_attr("num_samples", AttrValue::I64(n as i64));
                group.set_attr("seed", AttrValue::U64(demonstration.seed));
                if let Some(success) = demonstration.is_success {
                    group.set_attr("success", AttrValue::U8(u8::from(success)));
                }
                let kind = demonstration.kind.name().to_owned();
                group.set_attr("kind", AttrValue::VarLenString(kind));
                let instruction = demonstration.instruction(&self.info).to_owned();
                group.set_attr("instruction", AttrValue::VarLenString(instruction));
                self.add_arrays(group, demonstration);
                self.add_observations(group, demonstration);
            })?;
            Ok(())
        })?;
        self.kinds.push(demonstration.kind);
        self.n_steps += n;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), DatasetError> {
        let info = serde_json::to_string(&self.info).map_err(io::Error::other);
        let info = info.map_err(|error| failed(&self.path, error))?;
        self.change(|file| {
            let data = file.group("data")?;
            data.set_attr("total", AttrValue::I64(self.n_steps as i64))?;
            let env_args = AttrValue::VarLenString(self.env_args.to_string());
            data.set_attr("env_args", env_args)?;
            data.set_attr("insonate", AttrValue::VarLenString(info))?;
            self.add_masks(file)
        })?;
        if let Some(file) = self.file.take() {
            file.close().map_err(|error| failed(&self.path, error))?;
        }
        self.publish()
    }
}

impl RobomimicWriter {
    /// Names of the demonstrations for training and validation, and of the other kinds.
    fn add_masks(&self, file: &File) -> Result<(), Error> {
        let mask = |(index, kind): (usize, &EpisodeKind)| match kind {
            EpisodeKind::Ordinary if index % VALID_EVERY == VALID_EVERY - 1 => "valid",
            EpisodeKind::Ordinary => "train",
            other => other.name(),
        };
        let masks: Vec<&str> = self.kinds.iter().enumerate().map(mask).collect();
        let names: Vec<String> = (0..masks.len()).map(|i| format!("demo_{i}")).collect();
        for name in ["train", "valid", "recovery", "failure"] {
            let chosen = names.iter().zip(&masks).filter(|(_, mask)| **mask == name);
            let chosen: Vec<&str> = chosen.map(|(demo, _)| demo.as_str()).collect();
            if chosen.is_empty() {
                continue;
            }
            let mut problem = None;
            file.root()
                .create_dataset(&format!("mask/{name}"), |array| {
                    problem = array.with_ascii_strings(&chosen).err();
                })?;
            if let Some(problem) = problem {
                return Err(problem.into());
            }
        }
        Ok(())
    }

    /// Moves the complete file to its place, or copies it to a device or through a link.
    fn publish(&self) -> Result<(), DatasetError> {
        let is_plain = match fs::symlink_metadata(&self.path) {
            Ok(found) => found.is_file(),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if is_plain && fs::rename(&self.partial, &self.path).is_ok() {
            return Ok(());
        }
        let mut out = FileWriter::create(&self.path)?;
        let copied = fs::File::open(&self.partial)
            .and_then(|mut from| io::copy(&mut from, &mut out))
            .and_then(|_| out.flush());
        copied.map_err(|error| failed(&self.path, error))?;
        Ok(out.commit()?)
    }
}

impl Drop for RobomimicWriter {
    fn drop(&mut self) {
        // After it was moved the file no longer exists.
        self.file = None;
        let _ = fs::remove_file(&self.partial);
    }
}

/// Path of the incomplete file.
fn partial_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".partial");
    path.with_file_name(name)
}

/// Begins a file with the group of the demonstrations. It replaces one of an interrupted command.
fn begin(path: &Path, partial: &Path) -> Result<File, DatasetError> {
    let open = || {
        let properties = FileAccessProperties::new().with_sync_policy(SyncPolicy::OnClose);
        File::open_rw_with_options(partial, properties)
    };
    if matches!(open(), Err(Error::FileLocked(_))) {
        return Err(DatasetError::invalid(
            path,
            "is being written by another command",
        ));
    }
    let mut file = FileBuilder::new();
    for name in ["data", "mask"] {
        let group = file.create_group(name);
        file.add_group(group.finish());
    }
    let bytes = file.finish().map_err(|error| failed(path, error))?;
    insonate_files::write(partial, &bytes)?;
    open().map_err(|error| failed(path, error))
}

fn failed(path: &Path, error: impl Display) -> DatasetError {
    DatasetError::invalid(path, format!("cannot be built: {error}"))
}

/// Arguments for robomimic's environment: the Gymnasium id of the Python package, which contains the name of its
/// module, and the task's settings as keywords. A prefix separates them from the keywords of `gymnasium.make`.
fn env_args(info: &DatasetInfo) -> Result<Value, toml::de::Error> {
    let words = info.task.split('-').map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    let name: String = words.collect();
    let settings: Map<String, Value> = toml::from_str(&info.settings)?;
    let keywords: Map<String, Value> = settings
        .into_iter()
        .map(|(name, value)| (format!("env.{name}"), value))
        .collect();
    Ok(json!({
        "env_name": format!("insonate:insonate/{name}-v0"),
        "env_version": info.insonate_version,
        "type": GYM,
        "env_kwargs": keywords,
    }))
}
