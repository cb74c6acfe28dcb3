//! The maps of the parameters that presses at several sites share.

use std::collections::BTreeMap;
use std::path::Path;

use super::{MapGrid, SiteMap, read_places};
use crate::{Calibration, CalibrationError, SiteCalibrations};

/// Positions of sites in a common frame [m], by the name of the log.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Places {
    /// Name of the table in messages.
    name: String,
    by_log: BTreeMap<String, [f64; 3]>,
}

impl Places {
    /// Positions [m] by the name of the log, without folder and extension. `name` is that of the table in messages.
    pub fn new(name: impl Into<String>, by_log: BTreeMap<String, [f64; 3]>) -> Self {
        Self {
            name: name.into(),
            by_log,
        }
    }

    /// Reads a table.
    ///
    /// # Errors
    /// Those of [`read_places`].
    pub fn read(path: &Path) -> Result<Self, CalibrationError> {
        Ok(Self::new(path.display().to_string(), read_places(path)?))
    }

    /// The position of a log's site: of the table if there is one, else of the log itself.
    fn of(table: Option<&Self>, log: &Calibration) -> Result<[f64; 3], CalibrationError> {
        let name = log.source.name();
        let found = match table {
            Some(table) => table.by_log.get(&name).copied(),
            None => log.place,
        };
        found.ok_or_else(|| match table {
            Some(table) => CalibrationError::Log {
                log: table.name.clone(),
                problem: format!("has no place of {name}"),
            },
            None => CalibrationError::Log {
                log: name,
                problem:
                    "does not say where it was pressed: --map needs positions in space, or a table of them by --places"
                        .to_owned(),
            },
        })
    }
}

impl SiteCalibrations {
    /// Maps of stiffness and damping over the skin, or of the law's first parameter that all sites identify.
    ///
    /// # Errors
    /// [`CalibrationError::Log`] if a site has no position, or no parameter is identified by all; those of [`SiteMap::new`] and
    /// [`SiteMap::grid`].
    pub fn maps(&self, table: Option<&Places>) -> Result<Vec<MapGrid>, CalibrationError> {
        let places = self.logs.iter().map(|log| Places::of(table, log));
        let places = places.collect::<Result<Vec<_>, _>>()?;
        let pooled = self.pooled.parameters.iter().map(|(name, _)| *name);
        let softness = |name: &&str| matches!(*name, "stiffness" | "damping");
        let mut names: Vec<&str> = pooled.clone().filter(softness).collect();
        if names.is_empty() {
            names.extend(pooled.take(1));
        }
        if names.is_empty() {
            return Err(CalibrationError::Log {
                log: "--map".to_owned(),
                problem: format!(
                    "needs a parameter that every log identifies, and {} has none here",
                    self.model()
                ),
            });
        }
        let unit = |name: &str| self.logs[0].fit.parameter(name).map_or("", |of| of.unit);
        let maps = names.into_iter().map(|name| {
            let map = SiteMap::new(name, &self.logs, &places)?;
            map.grid(name, unit(name))
        });
        maps.collect()
    }
}
