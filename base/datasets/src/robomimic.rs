//! robomimic's HDF5 file (Mandlekar 2021, <https://robomimic.github.io/docs/datasets/overview.html>).
//!
//! ```text
//! data                 total, env_args (JSON), insonate (JSON: DatasetInfo)
//! ├ demo_0             num_samples, seed, success
//! │  ├ actions         [n, n_actions]      ├ obs/state            [n, n_obs]
//! │  ├ rewards dones   [n]                 ├ obs/<camera>_image   [n, height, width, 3]
//! │  └ states          [n, 1 + nq + nv]    ├ obs/<signal>         [n, n_entries]
//! │                                        └ next_obs/…           the same, a step later
//! mask/train, mask/valid                   names of demonstrations
//! ```

use std::fmt::Display;
use std::path::{Path, PathBuf};

use hdf5_pure::{AttrValue, Dataset as Array, File, FileBuilder, Group, GroupBuilder};
use insonate_tables::guarded;
use serde_json::{Map, Value, json};

use crate::limits::{Budget, MAX_DEMONSTRATIONS, MAX_TEXT};
use crate::write::Sink;
use crate::{CameraInfo, Dataset, DatasetError, DatasetInfo, Demonstration, ReadOptions};

/// robomimic's enum value for Gym environments.
const GYM: u32 = 2;

/// Maximum size of a file [bytes]. It is built in memory.
const MAX_BYTES: usize = 3 << 30;

/// One demonstration out of this number is for validation.
const VALID_EVERY: usize = 10;

/// Deflate level of images.
const DEFLATE: u32 = 1;

/// A file during writing.
pub(crate) struct RobomimicWriter {
    path: PathBuf,
    info: DatasetInfo,
    env_args: Value,
    file: FileBuilder,
    data: GroupBuilder,
    n_demonstrations: usize,
    n_steps: usize,
    n_bytes: usize,
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
        let mut file = FileBuilder::new();
        Ok(Self {
            path: path.to_owned(),
            info: info.clone(),
            env_args: env_args(info).map_err(|error| {
                DatasetError::invalid(path, format!("cannot store its settings: {error}"))
            })?,
            data: file.create_group("data"),
            file,
            n_demonstrations: 0,
            n_steps: 0,
            n_bytes: 0,
        })
    }

    fn add_arrays(&self, group: &mut GroupBuilder, demonstration: &Demonstration) {
        let n = demonstration.len();
        let shape = |width: usize| [n as u64, width as u64];
        let rewards: Vec<f64> = demonstration
            .rewards
            .iter()
            .map(|&r| f64::from(r))
            .collect();
        let mut dones = vec![0i64; n];
        dones[n - 1] = i64::from(demonstration.is_terminated);
        group
            .create_dataset("actions")
            .with_f32_data(&demonstration.actions)
            .with_shape(&shape(self.info.action_names.len()));
        group
            .create_dataset("rewards")
            .with_f64_data(&rewards)
            .with_shape(&[n as u64]);
        group
            .create_dataset("dones")
            .with_i64_data(&dones)
            .with_shape(&[n as u64]);
        if !demonstration.states.is_empty() {
            group
                .create_dataset("states")
                .with_f64_data(&demonstration.states)
                .with_shape(&shape(demonstration.states.len() / n));
        }
    }

    /// Adds observations and images before each step, and after it.
    fn add_observations(&self, group: &mut GroupBuilder, demonstration: &Demonstration) {
        let n = demonstration.len();
        let n_obs = self.info.observation_names.len();
        for (name, first) in [("obs", 0), ("next_obs", 1)] {
            let mut part = group.create_group(name);
            part.create_dataset("state")
                .with_f32_data(&demonstration.observations[first * n_obs..][..n * n_obs])
                .with_shape(&[n as u64, n_obs as u64]);
            for (signal, values) in self.info.signals.iter().zip(&demonstration.signals) {
                let width = signal.entries.len();
                part.create_dataset(&signal.name)
                    .with_f32_data(&values[first * width..][..n * width])
                    .with_shape(&[n as u64, width as u64]);
            }
            for (camera, frames) in self.info.cameras.iter().zip(&demonstration.frames) {
                let frame = camera.frame_len();
                let (height, width) = (u64::from(camera.height), u64::from(camera.width));
                part.create_dataset(&image_key(camera))
                    .with_u8_data(&frames[first * frame..][..n * frame])
                    .with_shape(&[n as u64, height, width, 3])
                    .with_chunks(&[1, height, width, 3])
                    .with_deflate(DEFLATE);
            }
            group.add_group(part.finish());
        }
    }
}

impl Sink for RobomimicWriter {
    fn push(&mut self, demonstration: &Demonstration) -> Result<(), DatasetError> {
        let index = self.n_demonstrations;
        let n = demonstration.len();
        let frames: usize = demonstration.frames.iter().map(Vec::len).sum();
        self.n_bytes +=
            2 * frames + 8 * demonstration.observations.len() + 8 * demonstration.states.len();
        if self.n_bytes > MAX_BYTES {
            let problem = format!(
                "the file would have more than {MAX_BYTES} bytes; record fewer episodes or smaller pictures, or write LeRobot's format"
            );
            return Err(DatasetError::Misfit { index, problem });
        }
        let mut group = self.data.create_group(&format!("demo_{index}"));
        group.set_attr("num_samples", AttrValue::I64(n as i64));
        group.set_attr("seed", AttrValue::U64(demonstration.seed));
        if let Some(success) = demonstration.is_success {
            group.set_attr("success", AttrValue::U8(u8::from(success)));
        }
        self.add_arrays(&mut group, demonstration);
        self.add_observations(&mut group, demonstration);
        self.data.add_group(group.finish());
        self.n_demonstrations += 1;
        self.n_steps += n;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), DatasetError> {
        let Self {
            mut file, mut data, ..
        } = *self;
        data.set_attr("total", AttrValue::I64(self.n_steps as i64));
        data.set_attr(
            "env_args",
            AttrValue::VarLenString(self.env_args.to_string()),
        );
        let info = serde_json::to_string(&self.info).map_err(std::io::Error::other);
        let info = info.map_err(|error| failed(&self.path, error))?;
        data.set_attr("insonate", AttrValue::VarLenString(info));
        let names: Vec<String> = (0..self.n_demonstrations)
            .map(|i| format!("demo_{i}"))
            .collect();
        file.add_group(data.finish());
        let (valid, train): (Vec<_>, Vec<_>) = names
            .iter()
            .enumerate()
            .partition(|(i, _)| i % VALID_EVERY == VALID_EVERY - 1);
        let mut mask = file.create_group("mask");
        for (name, chosen) in [("train", train), ("valid", valid)] {
            let chosen: Vec<&str> = chosen.iter().map(|(_, name)| name.as_str()).collect();
            if !chosen.is_empty() {
                let set = mask.create_dataset(name).with_ascii_strings(&chosen);
                set.map_err(|error| failed(&self.path, error))?;
            }
        }
        file.add_group(mask.finish());
        let bytes = file.finish().map_err(|error| failed(&self.path, error))?;
        Ok(insonate_files::write(&self.path, &bytes)?)
    }
}

fn failed(path: &Path, error: impl Display) -> DatasetError {
    DatasetError::invalid(path, format!("cannot be built: {error}"))
}

fn image_key(camera: &CameraInfo) -> String {
    format!("{}_image", camera.key())
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

/// Reads a file.
pub(crate) fn read(path: &Path, options: ReadOptions) -> Result<Dataset, DatasetError> {
    guarded(|| {
        Reader {
            path,
            options,
            budget: Budget::default(),
        }
        .read()
    })
    .unwrap_or_else(|| {
        Err(DatasetError::invalid(
            path,
            "is damaged: the HDF5 library cannot read it",
        ))
    })
}

struct Reader<'a> {
    path: &'a Path,
    options: ReadOptions,
    budget: Budget,
}

impl Reader<'_> {
    fn read(mut self) -> Result<Dataset, DatasetError> {
        std::fs::File::open(self.path).map_err(DatasetError::read(self.path))?;
        let file = File::open_streaming(self.path)
            .map_err(|error| self.invalid(format!("is not an HDF5 file: {error}")))?;
        let data = file
            .group("data")
            .map_err(|_| self.invalid("has no group data, as robomimic's files do"))?;
        let mut info = self.info(&data)?;
        let names = self.names(&data)?;
        let mut demonstrations = Vec::new();
        for name in names {
            let group = data
                .group(&name)
                .map_err(|error| self.damaged(&name, error))?;
            demonstrations.push(self.demonstration(&name, &group, &mut info)?);
        }
        Ok(Dataset {
            info,
            demonstrations,
        })
    }

    /// insonate's own information; the default for files from other programs.
    fn info(&self, data: &Group) -> Result<DatasetInfo, DatasetError> {
        let attributes = data.attrs().map_err(|error| self.damaged("data", error))?;
        let Some(text) = attributes.get("insonate").and_then(AttrValue::as_str) else {
            return Ok(DatasetInfo::default());
        };
        if text.len() as u64 > MAX_TEXT {
            return Err(self.invalid("has a description that is too long"));
        }
        serde_json::from_str(text).map_err(|error| {
            self.invalid(format!("has a description that cannot be read: {error}"))
        })
    }

    /// Names of the demonstrations, sorted by number.
    fn names(&self, data: &Group) -> Result<Vec<String>, DatasetError> {
        let names = data.groups().map_err(|error| self.damaged("data", error))?;
        let number = |name: &String| name.strip_prefix("demo_")?.parse::<u64>().ok();
        let mut numbered: Vec<(u64, String)> = names
            .into_iter()
            .filter_map(|name| Some((number(&name)?, name)))
            .collect();
        if numbered.len() > MAX_DEMONSTRATIONS {
            return Err(self.invalid(format!("has more than {MAX_DEMONSTRATIONS} demonstrations")));
        }
        numbered.sort();
        Ok(numbered.into_iter().map(|(_, name)| name).collect())
    }

    fn demonstration(
        &mut self,
        name: &str,
        group: &Group,
        info: &mut DatasetInfo,
    ) -> Result<Demonstration, DatasetError> {
        let attributes = group.attrs().map_err(|error| self.damaged(name, error))?;
        let (actions, [n, n_actions]) = self.table(name, group, "actions", None)?;
        let (mut observations, [_, n_obs]) = self.table(name, group, "obs/state", Some(n))?;
        self.name_columns(name, info, [n_obs, n_actions])?;
        let (rewards, _) = self.table(name, group, "rewards", Some(n))?;
        let (dones, _) = self.table(name, group, "dones", Some(n))?;
        if n == 0 {
            return Err(self.invalid(format!("has no step in {name}")));
        }
        if group.dataset("next_obs/state").is_ok() {
            let (next, [_, width]) = self.table(name, group, "next_obs/state", Some(n))?;
            if width == n_obs {
                observations.extend_from_slice(&next[(n - 1) * n_obs..]);
            }
        }
        let signals = self.signals(name, group, info, n)?;
        let states = match group.dataset("states") {
            Ok(_) => self.table(name, group, "states", Some(n))?.0,
            Err(_) => Vec::new(),
        };
        let single = |values: Vec<f64>| {
            values
                .into_iter()
                .map(|value| value as f32)
                .collect::<Vec<f32>>()
        };
        let frames = if self.options.frames {
            self.frames(name, group, info, n)?
        } else {
            Vec::new()
        };
        Ok(Demonstration {
            seed: attributes
                .get("seed")
                .and_then(AttrValue::as_u64)
                .unwrap_or(0),
            observations: single(observations),
            actions: single(actions),
            rewards: single(rewards),
            is_terminated: dones[n - 1] != 0.0,
            is_success: attributes
                .get("success")
                .and_then(AttrValue::as_u64)
                .map(|success| success != 0),
            states,
            frames,
            signals,
        })
    }

    /// Rows of each signal, with the one after the last step.
    fn signals(
        &mut self,
        name: &str,
        group: &Group,
        info: &DatasetInfo,
        n: usize,
    ) -> Result<Vec<Vec<f32>>, DatasetError> {
        let mut signals = Vec::new();
        for signal in &info.signals {
            let width = signal.entries.len();
            let mut rows = Vec::new();
            for (part, first) in [("obs", 0), ("next_obs", n - 1)] {
                let place = format!("{part}/{}", signal.name);
                let (values, [_, found]) = self.table(name, group, &place, Some(n))?;
                if found != width {
                    return Err(self.invalid(format!(
                        "has {found} columns in {name}/{place}, {width} expected"
                    )));
                }
                let values = values[first * width..].iter();
                rows.extend(values.map(|&value| value as f32));
            }
            signals.push(rows);
        }
        Ok(signals)
    }

    /// Fails if a demonstration has a different width. Names the columns of files that have no names.
    fn name_columns(
        &self,
        name: &str,
        info: &mut DatasetInfo,
        widths: [usize; 2],
    ) -> Result<(), DatasetError> {
        let parts = [
            ("obs/state", &mut info.observation_names),
            ("actions", &mut info.action_names),
        ];
        for ((what, names), width) in parts.into_iter().zip(widths) {
            if names.is_empty() {
                *names = (0..width).map(|i| format!("{what}_{i}")).collect();
            }
            if names.len() != width {
                let expected = names.len();
                return Err(self.invalid(format!(
                    "has {width} columns in {name}/{what}, {expected} expected"
                )));
            }
        }
        Ok(())
    }

    /// An array of n rows, with its numbers of rows and columns.
    fn table(
        &mut self,
        demonstration: &str,
        group: &Group,
        name: &str,
        rows: Option<usize>,
    ) -> Result<(Vec<f64>, [usize; 2]), DatasetError> {
        let place = format!("{demonstration}/{name}");
        let array = group
            .dataset(name)
            .map_err(|_| self.invalid(format!("has no {place}")))?;
        let shape = array.shape().map_err(|error| self.damaged(&place, error))?;
        let [n, width] = match shape[..] {
            [n] => [n, 1],
            [n, width] if width > 0 => [n, width],
            _ => {
                return Err(self.invalid(format!(
                    "has {place} of shape {shape:?}; [n] or [n, width] is allowed"
                )));
            }
        };
        if rows.is_some_and(|rows| rows as u64 != n) {
            return Err(self.invalid(format!(
                "has {n} rows in {place}, and another number of actions"
            )));
        }
        self.budget.numbers(self.path, n.saturating_mul(width))?;
        let values = array
            .read_f64()
            .map_err(|error| self.damaged(&place, error))?;
        if values.len() as u64 != n * width {
            return Err(self.invalid(format!(
                "has {} numbers in {place} of shape {shape:?}",
                values.len()
            )));
        }
        Ok((values, [n as usize, width as usize]))
    }

    fn frames(
        &mut self,
        demonstration: &str,
        group: &Group,
        info: &DatasetInfo,
        n: usize,
    ) -> Result<Vec<Vec<u8>>, DatasetError> {
        let mut all = Vec::new();
        for camera in &info.cameras {
            let mut frames = Vec::new();
            for (part, first) in [("obs", 0), ("next_obs", n - 1)] {
                let name = format!("{part}/{}", image_key(camera));
                let place = format!("{demonstration}/{name}");
                let array = group
                    .dataset(&name)
                    .map_err(|_| self.invalid(format!("has no {place}")))?;
                self.check_frames(&place, &array, camera, n)?;
                let rows = array.read_u8_rows(first as u64, (n - first) as u64);
                frames.extend(rows.map_err(|error| self.damaged(&place, error))?);
            }
            if frames.len() != (n + 1) * camera.frame_len() {
                return Err(self.invalid(format!(
                    "has incomplete pictures of {} in {demonstration}",
                    camera.name
                )));
            }
            all.push(frames);
        }
        Ok(all)
    }

    fn check_frames(
        &mut self,
        place: &str,
        array: &Array,
        camera: &CameraInfo,
        n: usize,
    ) -> Result<(), DatasetError> {
        let shape = array.shape().map_err(|error| self.damaged(place, error))?;
        let expected = [
            n as u64,
            u64::from(camera.height),
            u64::from(camera.width),
            3,
        ];
        if shape != expected {
            return Err(self.invalid(format!(
                "has {place} of shape {shape:?}, {expected:?} expected"
            )));
        }
        let n_bytes = expected
            .iter()
            .fold(1u64, |product, n| product.saturating_mul(*n));
        self.budget.frame_bytes(self.path, n_bytes)
    }

    fn damaged(&self, place: &str, error: impl Display) -> DatasetError {
        self.invalid(format!("cannot be read at {place}: {error}"))
    }

    fn invalid(&self, problem: impl Into<String>) -> DatasetError {
        DatasetError::invalid(self.path, problem)
    }
}
