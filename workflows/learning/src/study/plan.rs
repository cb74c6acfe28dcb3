//! Settings of a study.

use insonate_calibration::{Calibration, FitOptions, SiteCalibrations, models};
use insonate_models::torsos::Softness;
use toml::{Table, Value};

use super::result::MeasuredSoftness;
use crate::LearningError;

/// Action for an earlier study in the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StudyStart {
    /// Refuse the folder.
    New,
    /// Remove the earlier study.
    Overwrite,
    /// Resume the earlier study.
    Resume,
}

/// Plan of a study.
#[derive(Debug)]
pub struct StudyPlan {
    /// Task of the policies; its scene needs a torso.
    pub task: String,
    /// Calibrations of the logs.
    pub sites: SiteCalibrations,
    /// Calibrations of held-out logs, which are not used for fitting.
    pub held_out: Option<SiteCalibrations>,
    /// Options of the fits.
    pub options: FitOptions,
    /// True softness of the logs' tissue, if it is known, for example in simulation.
    pub truth: Option<Softness>,
    /// Settings of the robot, as in `env.scene` of a task; empty: the default robot.
    pub robot: Table,
    /// Settings of the patient, as in `env.scene` of a task; empty: a bare torso.
    pub patient: Table,
    /// Kinds of torso that are fitted in addition to `fast`, on which policies are trained.
    pub torsos: Vec<String>,
    /// Number of steps of each training.
    pub total_timesteps: usize,
    /// Seed of each training.
    pub train_seed: u64,
    /// Number of episodes of each policy under each condition.
    pub n_episodes: usize,
    /// Seed of the first episode.
    pub seed: u64,
    /// Number of threads; 0 uses one per core. It does not affect the results.
    pub n_threads: usize,
    /// Action for an earlier study.
    pub start: StudyStart,
}

impl StudyPlan {
    /// Checks that the logs determine the parameters of a torso.
    ///
    /// # Errors
    /// If the model lacks stiffness or damping; the error names it.
    pub fn check(&self) -> Result<(), LearningError> {
        for sites in std::iter::once(&self.sites).chain(&self.held_out) {
            let has = |name: &str| sites.pooled.parameter(name).is_some();
            if !(has("stiffness") && has("damping")) {
                let log = sites.logs.first();
                return Err(LearningError::NoSoftness {
                    model: sites.model().to_owned(),
                    log: log.map_or("these logs", |log| &log.source.file).to_owned(),
                    known: models::names_with(|kind| kind.gives_softness),
                });
            }
        }
        Ok(())
    }

    /// Settings of robot and patient, as in `env.scene` of a task.
    pub(super) fn scene(&self) -> Table {
        let mut scene = self.robot.clone();
        scene.extend(self.patient.clone());
        scene
    }

    /// Softness of the logs, pooled.
    pub(super) fn measured(&self) -> MeasuredSoftness {
        let value = |name: &str| {
            let pooled = self.sites.pooled.parameter(name);
            pooled.map_or((f64::NAN, [f64::NAN; 2], [f64::NAN; 2]), |it| {
                (it.mean, it.ci95, it.randomisation)
            })
        };
        let (stiffness, stiffness_ci95, stiffness_range) = value("stiffness");
        let (damping, damping_ci95, damping_range) = value("damping");
        MeasuredSoftness {
            log: self.log_names(),
            stiffness,
            stiffness_ci95,
            damping,
            damping_ci95,
            range: [stiffness_range, damping_range],
        }
    }

    fn log_names(&self) -> String {
        let names = self.sites.logs.iter().map(|log| log.source.file.as_str());
        names.collect::<Vec<_>>().join(", ")
    }

    /// Softness of each held-out log.
    pub(super) fn measured_held_out(&self) -> Vec<MeasuredSoftness> {
        let logs = self.held_out.iter().flat_map(|sites| &sites.logs);
        logs.filter_map(measured_of).collect()
    }

    /// The first log; its press is repeated on torsos.
    pub(super) fn first_log(&self) -> Result<&Calibration, LearningError> {
        self.sites.logs.first().ok_or(LearningError::NoLog)
    }

    /// All settings that affect the result, as `study.toml`.
    pub(super) fn to_table(&self) -> Table {
        let logs = |sites: &SiteCalibrations| {
            let each = sites.logs.iter().map(|log| {
                let mut entry = Table::new();
                entry.insert("file".to_owned(), log.source.file.clone().into());
                entry.insert("sha256".to_owned(), log.source.sha256.clone().into());
                Value::Table(entry)
            });
            Value::Array(each.collect())
        };
        let softness = self.measured();
        let mut table = Table::new();
        let mut put = |name: &str, value: Value| table.insert(name.to_owned(), value);
        put("insonate_version", env!("CARGO_PKG_VERSION").into());
        put("task", self.task.clone().into());
        put("model", self.sites.model().into());
        // Options of the calibration affect its result.
        put("stiffness", softness.stiffness.into());
        put("damping", softness.damping.into());
        put("steps", (self.total_timesteps as i64).into());
        put("train_seed", (self.train_seed as i64).into());
        put("torsos", self.torsos.clone().into());
        if !self.robot.is_empty() {
            put("robot", Value::Table(self.robot.clone()));
        }
        if !self.patient.is_empty() {
            put("patient", Value::Table(self.patient.clone()));
        }
        put("logs", logs(&self.sites));
        if let Some(sites) = &self.held_out {
            put("held_out", logs(sites));
        }
        table
    }
}

fn measured_of(log: &Calibration) -> Option<MeasuredSoftness> {
    let (k, c) = log
        .fit
        .parameter("stiffness")
        .zip(log.fit.parameter("damping"))?;
    Some(MeasuredSoftness {
        log: log.source.file.clone(),
        stiffness: k.value,
        stiffness_ci95: k.ci95,
        damping: c.value,
        damping_ci95: c.ci95,
        range: [k.ci95, c.ci95],
    })
}
