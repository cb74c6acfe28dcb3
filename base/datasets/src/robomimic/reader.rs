//! Reads a file.

use std::collections::HashMap;
use std::fmt::Display;
use std::path::Path;

use hdf5_pure::{AttrValue, Dataset as Array, File, Group};
use insonate_tables::guarded;

use super::image_key;
use crate::limits::{Budget, MAX_DEMONSTRATIONS, MAX_TEXT};
use crate::recording::no_episode;
use crate::{
    CameraInfo, Dataset, DatasetError, DatasetInfo, Demonstration, EpisodeKind, OwnRecording,
    ReadOptions, RecordedColumn, Recording, SignalInfo,
};

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

/// Reads an episode, counted from 0, as columns.
pub(crate) fn recording(path: &Path, episode: usize) -> Result<Recording, DatasetError> {
    guarded(|| {
        Reader {
            path,
            options: ReadOptions::default(),
            budget: Budget::default(),
        }
        .recording(episode)
    })
    .unwrap_or_else(|| {
        Err(DatasetError::invalid(
            path,
            "is damaged: the HDF5 library cannot read it",
        ))
    })
}

/// What an episode shows.
fn kind(attributes: &HashMap<String, AttrValue>) -> EpisodeKind {
    let text = attributes.get("kind").and_then(AttrValue::as_str);
    let found = EpisodeKind::ALL
        .iter()
        .find(|(known, _)| text == Some(known));
    found.map(|(_, kind)| *kind).unwrap_or_default()
}

/// Names of an array's columns.
fn entries(info: &DatasetInfo, place: &str, width: usize) -> Vec<String> {
    let signal = |signal: &&SignalInfo| place.strip_prefix("obs/") == Some(&signal.name);
    let known = match place {
        "actions" => Some(&info.action_names),
        "obs/state" => Some(&info.observation_names),
        _ => info.signals.iter().find(signal).map(|it| &it.entries),
    };
    match known {
        Some(names) if names.len() == width => names.clone(),
        _ => (0..width).map(|index| format!("{place}_{index}")).collect(),
    }
}

struct Reader<'a> {
    path: &'a Path,
    options: ReadOptions,
    budget: Budget,
}

impl Reader<'_> {
    fn read(mut self) -> Result<Dataset, DatasetError> {
        let file = self.open()?;
        let data = self.data(&file)?;
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

    fn open(&self) -> Result<File, DatasetError> {
        std::fs::File::open(self.path).map_err(DatasetError::read(self.path))?;
        File::open_streaming(self.path)
            .map_err(|error| self.invalid(format!("is not an HDF5 file: {error}")))
    }

    fn data(&self, file: &File) -> Result<Group, DatasetError> {
        file.group("data")
            .map_err(|_| self.invalid("has no group data, as robomimic's files do"))
    }

    /// One episode as columns: `actions`, and the arrays of numbers in `obs`.
    fn recording(mut self, episode: usize) -> Result<Recording, DatasetError> {
        let file = self.open()?;
        let data = self.data(&file)?;
        let info = self.info(&data)?;
        let names = self.names(&data)?;
        let Some(name) = names.get(episode) else {
            return Err(no_episode(self.path, episode, names.len()));
        };
        let damaged = |error| self.damaged(name, error);
        let group = data.group(name).map_err(damaged)?;
        let attributes = group.attrs().map_err(damaged)?;
        let observed = group.group("obs").and_then(|obs| obs.datasets());
        let observed = observed.map_err(damaged)?;
        let observed = observed.into_iter().map(|array| format!("obs/{array}"));
        let places = std::iter::once("actions".to_owned()).chain(observed);
        let (mut columns, mut n_rows) = (Vec::new(), None);
        for place in places {
            let array = group
                .dataset(&place)
                .map_err(|_| self.invalid(format!("has no {name}/{place}")))?;
            let shape = array.shape().map_err(|error| self.damaged(&place, error))?;
            // Pictures have more sides.
            if shape.len() > 2 {
                continue;
            }
            let (values, [n, width]) = self.table(name, &group, &place, n_rows)?;
            n_rows = Some(n);
            columns.push(RecordedColumn {
                entries: entries(&info, &place, width),
                name: place,
                values,
            });
        }
        let n_rows = n_rows.unwrap_or(0);
        let step = info.control_timestep;
        let seed = attributes.get("seed").and_then(AttrValue::as_u64);
        Ok(Recording {
            n_rows,
            time: (step > 0.0).then(|| (0..n_rows).map(|row| row as f64 * step).collect()),
            columns,
            own: (!info.task.is_empty()).then(|| OwnRecording {
                seed: seed.unwrap_or(0),
                kind: kind(&attributes),
                info,
            }),
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
        let text = |name| attributes.get(name).and_then(AttrValue::as_str);
        let own = text("instruction").filter(|text| *text != info.description);
        Ok(Demonstration {
            seed: attributes
                .get("seed")
                .and_then(AttrValue::as_u64)
                .unwrap_or(0),
            kind: kind(&attributes),
            instruction: own.unwrap_or_default().to_owned(),
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
