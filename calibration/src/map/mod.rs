//! A map of stiffness or damping over the skin, from presses at several sites, with the interval of every place.
//!
//! The logarithm of the parameter is a Gaussian process (`process.rs`). A site counts with what its own log leaves open; what all sites
//! share ([`crate::SharedError`]) widens the whole map alike.

mod grid;
mod places;
mod process;

pub use grid::MapGrid;
pub use places::read_places;

use process::{Observation, Process, distance};

use crate::{Calibration, CalibrationError, fit::GAUSSIAN_95, misfit, pool::shared_changes};

/// Fewest sites that make a map: with less, nothing tells how far one site speaks for its surroundings.
pub const LEAST_SITES: usize = 4;

/// Share of a site's standard error that its own log leaves open at least.
const LEAST_OWN: f64 = 0.02;

/// A site: a parameter that its log identifies, and where it was pressed.
#[derive(Clone, Debug, PartialEq)]
pub struct MapSite {
    /// Name of the log.
    pub name: String,
    /// Place of the contact [m], in the frame of all sites.
    pub place: [f64; 3],
    /// The parameter.
    pub value: f64,
    /// Standard error of it that other sites do not share.
    pub own_error: f64,
}

/// What a map says of a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MapPoint {
    /// Place [m].
    pub place: [f64; 3],
    /// Median.
    pub value: f64,
    /// 95 % interval.
    pub ci95: [f64; 2],
}

/// How a site agrees with the map that the other sites make.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// Name of the log.
    pub name: String,
    /// Its logarithm less that of the map, over the standard deviation of both.
    pub deviation: f64,
}

/// A map of one parameter.
pub struct SiteMap {
    sites: Vec<MapSite>,
    process: Process,
    /// Relative standard error that all sites share.
    shared: f64,
}

impl SiteMap {
    /// The map of a parameter over calibrated sites; `places` are the contacts in the order of the sites [m].
    ///
    /// # Errors
    /// [`CalibrationError::Option`] for fewer sites than [`LEAST_SITES`], one place for all, or a site that does not identify the parameter.
    pub fn new(
        parameter: &str,
        logs: &[Calibration],
        places: &[[f64; 3]],
    ) -> Result<Self, CalibrationError> {
        let refused = |problem: String| CalibrationError::option("--map", problem);
        if logs.len() < LEAST_SITES {
            return Err(refused(format!(
                "{} sites were given; a map needs {LEAST_SITES} or more",
                logs.len()
            )));
        }
        let mut sites = Vec::new();
        for (log, place) in logs.iter().zip(places) {
            sites.push(site(parameter, log, *place).map_err(refused)?);
        }
        let fits: Vec<_> = logs.iter().map(|log| &log.fit).collect();
        let mean = sites.iter().map(|site| site.value).sum::<f64>() / sites.len() as f64;
        let changes = shared_changes(&fits, parameter);
        let squares: f64 = changes.iter().map(|change| change * change).sum();
        Self::of_sites(sites, squares.sqrt() / mean)
    }

    /// The map of sites that share a relative standard error.
    ///
    /// # Errors
    /// [`CalibrationError::Option`] for fewer than [`LEAST_SITES`], values that are not positive, or one place for all.
    pub fn of_sites(sites: Vec<MapSite>, shared: f64) -> Result<Self, CalibrationError> {
        let refused = |problem: String| CalibrationError::option("--map", problem);
        if sites.len() < LEAST_SITES {
            return Err(refused(format!(
                "{} sites were given; a map needs {LEAST_SITES} or more",
                sites.len()
            )));
        }
        if let Some(bad) = sites
            .iter()
            .find(|site| !(site.value > 0.0 && site.value.is_finite()))
        {
            return Err(refused(format!(
                "{} has the value {}, which must be positive",
                bad.name, bad.value
            )));
        }
        let observations: Vec<Observation> = sites.iter().map(observation).collect();
        let process = Process::new(&observations).ok_or_else(|| {
            refused("all sites lie at the same place; a map needs several".to_owned())
        })?;
        Ok(Self {
            sites,
            process,
            shared,
        })
    }

    /// The sites.
    pub fn sites(&self) -> &[MapSite] {
        &self.sites
    }

    /// Typical distance over which the parameter changes [m], its relative standard deviation, and that of neighbouring presses:
    /// geometric means over what the sites leave possible.
    pub fn hyperparameters(&self) -> [f64; 3] {
        self.process.hyperparameters()
    }

    /// The parameter at a place [m].
    pub fn at(&self, place: [f64; 3]) -> MapPoint {
        let prediction = self.process.at(&place);
        let quantile = |probability: f64| prediction.quantile(probability, self.shared).exp();
        MapPoint {
            place,
            value: quantile(0.5),
            ci95: [quantile(0.025), quantile(0.975)],
        }
    }

    /// Each site against the map of the others.
    ///
    /// # Errors
    /// As [`SiteMap::of_sites`].
    pub fn leave_one_out(&self) -> Result<Vec<LeftOut>, CalibrationError> {
        let observations: Vec<Observation> = self.sites.iter().map(observation).collect();
        let [_, _, scatter] = self.hyperparameters();
        let left_out = (0..self.sites.len()).filter_map(|i| {
            let others: Vec<Observation> = observations
                .iter()
                .enumerate()
                .filter(|(j, _)| *j != i)
                .map(|(_, other)| *other)
                .collect();
            let prediction = Process::new(&others)?.at(&observations[i].place);
            let variance = prediction.variance() + observations[i].error.powi(2) + scatter.powi(2);
            Some(LeftOut {
                name: self.sites[i].name.clone(),
                deviation: (observations[i].value - prediction.mean()) / variance.sqrt(),
            })
        });
        Ok(left_out.collect())
    }

    /// Of `candidates` [m] the ones to press next, one after the other: each leaves the least mean variance over all candidates, with what
    /// is known and with those before it. Values are taken as the map predicts them.
    pub fn next_sites(&self, candidates: &[[f64; 3]], n: usize) -> Vec<[f64; 3]> {
        let mut observations: Vec<Observation> = self.sites.iter().map(observation).collect();
        let errors = observations.iter().map(|site| site.error);
        let error = errors.sum::<f64>() / observations.len() as f64;
        let mut chosen = Vec::new();
        while chosen.len() < n {
            let Some(process) = Process::new(&observations) else {
                break;
            };
            let left = |place: &[f64; 3]| process.variance_after(place, error, candidates);
            let free = candidates.iter().filter(|place| {
                let taken = observations.iter();
                !taken
                    .clone()
                    .any(|site| distance(&site.place, place) == 0.0)
            });
            let best = free
                .map(|place| (left(place), *place))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            let Some((_, place)) = best else { break };
            observations.push(Observation {
                place,
                value: process.at(&place).mean(),
                error,
            });
            chosen.push(place);
        }
        chosen
    }
}

fn observation(site: &MapSite) -> Observation {
    Observation {
        place: site.place,
        value: site.value.ln(),
        error: site.own_error / site.value,
    }
}

fn site(parameter: &str, log: &Calibration, place: [f64; 3]) -> Result<MapSite, String> {
    let name = log.source.name();
    let found = log
        .fit
        .parameter(parameter)
        .ok_or_else(|| format!("{} has no {parameter}", log.fit.model))?;
    if !found.identifiable {
        return Err(format!(
            "{name} does not identify {parameter}: {}",
            found.reason
        ));
    }
    let index = log
        .fit
        .parameters
        .iter()
        .position(|own| own.name == parameter);
    let shared: f64 = log
        .fit
        .shared
        .iter()
        .filter(|error| error.cause != misfit::CAUSE)
        .filter_map(|error| Some(error.change.get(index?)?.powi(2)))
        .sum();
    // An interval of few independent samples is wider than that of a normal distribution.
    let error = 0.5 * (found.ci95[1] - found.ci95[0]) / GAUSSIAN_95;
    let own = (error.powi(2) - shared).max((LEAST_OWN * error).powi(2));
    Ok(MapSite {
        name,
        place,
        value: found.value,
        own_error: own.sqrt(),
    })
}
