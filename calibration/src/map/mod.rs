//! A map of stiffness or damping over the skin, from presses at several sites, with an interval at every point.
//!
//! The logarithm of the parameter is a Gaussian process (`process.rs`). Each site has its own standard error; errors
//! that all sites share ([`crate::SharedError`]) widen the whole map equally.

mod grid;
mod maps;
mod places;
mod process;

pub use grid::MapGrid;
pub use maps::Places;
pub use places::read_places;

use process::{Observation, Process, distance};

use crate::{
    Calibration, CalibrationError, curvature, fit::GAUSSIAN_95, misfit, pool::shared_changes,
};

/// Minimum number of sites of a map: with fewer, the correlation length cannot be estimated.
pub const LEAST_SITES: usize = 4;

/// Minimum share of a site's standard error that is independent of the other sites.
const LEAST_OWN: f64 = 0.02;

/// A site: an identified parameter and the position of the press.
#[derive(Clone, Debug, PartialEq)]
pub struct MapSite {
    /// Name of the log.
    pub name: String,
    /// Position of the contact [m], in the common frame of all sites.
    pub place: [f64; 3],
    /// The parameter.
    pub value: f64,
    /// Standard error that is not shared with other sites.
    pub own_error: f64,
}

/// Prediction of a map at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MapPoint {
    /// Position [m].
    pub place: [f64; 3],
    /// Median.
    pub value: f64,
    /// 95 % interval.
    pub ci95: [f64; 2],
}

/// Agreement of a site with the map of the other sites.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteDeviation {
    /// Name of the log.
    pub name: String,
    /// Logarithm of the site's value minus that of the map, over the combined standard deviation.
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
    /// The map of a parameter over calibrated sites; `places` are the contact positions in the order of the sites
    /// [m].
    ///
    /// # Errors
    /// [`CalibrationError::Option`] for fewer sites than [`LEAST_SITES`], one position for all, or a site that does
    /// not identify the parameter.
    pub fn new(
        parameter: &str,
        logs: &[Calibration],
        places: &[[f64; 3]],
    ) -> Result<Self, CalibrationError> {
        let refused = |problem: String| CalibrationError::option("--map", problem);
        if logs.len() < LEAST_SITES {
            return Err(refused(format!(
                "the number of sites is {}; it must be at least {LEAST_SITES}",
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

    /// The map of sites with a common relative standard error.
    ///
    /// # Errors
    /// [`CalibrationError::Option`] for fewer sites than [`LEAST_SITES`], values that are not positive, or one
    /// position for all.
    pub fn of_sites(sites: Vec<MapSite>, shared: f64) -> Result<Self, CalibrationError> {
        let refused = |problem: String| CalibrationError::option("--map", problem);
        if sites.len() < LEAST_SITES {
            return Err(refused(format!(
                "the number of sites is {}; it must be at least {LEAST_SITES}",
                sites.len()
            )));
        }
        if let Some(bad) = sites
            .iter()
            .find(|site| !(site.value > 0.0 && site.value.is_finite()))
        {
            return Err(refused(format!(
                "the value of {} is {}; it must be above 0",
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

    /// Typical distance over which the parameter changes [m], its relative standard deviation, and the relative
    /// standard deviation between neighbouring presses: geometric means over their posterior.
    pub fn hyperparameters(&self) -> [f64; 3] {
        self.process.hyperparameters()
    }

    /// Prediction of the parameter at a position [m].
    pub fn at(&self, place: [f64; 3]) -> MapPoint {
        let prediction = self.process.at(&place);
        let quantile = |probability: f64| prediction.quantile(probability, self.shared).exp();
        MapPoint {
            place,
            value: quantile(0.5),
            ci95: [quantile(0.025), quantile(0.975)],
        }
    }

    /// Compares each site with the map of the others.
    ///
    /// # Errors
    /// The errors of [`SiteMap::of_sites`].
    pub fn leave_one_out(&self) -> Result<Vec<SiteDeviation>, CalibrationError> {
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
            Some(SiteDeviation {
                name: self.sites[i].name.clone(),
                deviation: (observations[i].value - prediction.mean()) / variance.sqrt(),
            })
        });
        Ok(left_out.collect())
    }

    /// Selects the next sites from `candidates` [m], one after the other: each one minimises the mean variance over
    /// all candidates, given the known sites and those selected before. Values are assumed as the map predicts them.
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
        .filter(|error| ![misfit::CAUSE, curvature::CAUSE].contains(&error.cause))
        .filter_map(|error| Some(error.change.get(index?)?.powi(2)))
        .sum();
    // The interval from few independent samples is wider than the interval of a normal distribution.
    let error = 0.5 * (found.ci95[1] - found.ci95[0]) / GAUSSIAN_95;
    let own = (error.powi(2) - shared).max((LEAST_OWN * error).powi(2));
    Ok(MapSite {
        name,
        place,
        value: found.value,
        own_error: own.sqrt(),
    })
}
