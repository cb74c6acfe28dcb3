//! The body with its target, and the needle in it.

use std::sync::Arc;

use insonate_settings::{check_ranges, check_vector};
use insonate_sim::needle::{
    Gauge, Insertion, InsertionError, LayeredBlock, NeedleConfig, Preset, Report, Saved, TetPoint,
};
use nalgebra::{Isometry3, Matrix3, Rotation3, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use super::breath::Breath;
use crate::EnvError;

/// Height of the tip above the skin at the start [m].
const START: f64 = 5e-3;

/// Settings of needle and body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NeedleSceneSettings {
    /// Gauge of the needle.
    pub gauge: u32,
    /// Length of the needle from hub to tip [m].
    pub length: f64,
    /// Sizes of the body [m].
    pub size: [f64; 3],
    /// Edge of its elements [m].
    pub edge: f64,
    /// Thickness of the skin [m].
    pub skin: f64,
    /// Thickness of the fat below it [m]; the rest is liver.
    pub fat: f64,
    /// Whether the needle must break the skin; otherwise a nick opens it.
    pub whole_skin: bool,
}

impl Default for NeedleSceneSettings {
    fn default() -> Self {
        Self {
            gauge: 18,
            length: 0.15,
            size: [0.06, 0.06, 0.07],
            edge: 0.01,
            skin: 2e-3,
            fat: 8e-3,
            whole_skin: false,
        }
    }
}

impl NeedleSceneSettings {
    fn check(&self) -> Result<(), EnvError> {
        check_vector("needle.size", self.size, [0.03, 0.3], "m")?;
        Ok(check_ranges(
            "needle.",
            [
                ("length", self.length, [0.05, 0.5], "m"),
                ("edge", self.edge, [3e-3, 0.02], "m"),
                ("skin", self.skin, [5e-4, 5e-3], "m"),
                ("fat", self.fat, [1e-3, 0.03], "m"),
            ],
        )?)
    }

    fn block(&self) -> Result<LayeredBlock, EnvError> {
        let rows = [("skin", self.skin), ("fat", self.fat), ("liver", 1.0)];
        let layers = rows.iter().enumerate().map(|(index, (name, thickness))| {
            let preset = Preset::by_name(name)?;
            Ok(preset.layer(*thickness, index == 0 && self.whole_skin))
        });
        Ok(LayeredBlock {
            size: self.size,
            edge: self.edge,
            layers: layers.collect::<Result<_, insonate_settings::SettingError>>()?,
            poisson_ratio: 0.45,
            density: 1000.0,
            damping_time: 0.01,
        })
    }
}

/// What all environments share: body and needle at rest.
#[derive(Debug)]
pub struct NeedleModel {
    settings: NeedleSceneSettings,
    rest: Insertion,
    saved: Saved,
}

impl NeedleModel {
    /// Body and needle of the settings, whose substeps divide a time [s].
    ///
    /// # Errors
    /// [`EnvError`] for values that are not allowed.
    pub fn new(settings: &NeedleSceneSettings, interval: f64) -> Result<Self, EnvError> {
        settings.check()?;
        let config = NeedleConfig {
            has_stylet: true,
            ..NeedleConfig::steel(Gauge::from_number(settings.gauge)?, settings.length)
        };
        let far = Isometry3::translation(0.0, 0.0, 0.2);
        let mut rest = Insertion::new(&settings.block()?, config, far).map_err(refused)?;
        rest.divide(interval);
        Ok(Self {
            settings: settings.clone(),
            saved: rest.save(),
            rest,
        })
    }

    /// Its settings.
    pub fn settings(&self) -> &NeedleSceneSettings {
        &self.settings
    }
}

fn refused(error: InsertionError) -> EnvError {
    match error {
        InsertionError::Setting(error) => error.into(),
        other => EnvError::Failed(other.to_string()),
    }
}

/// Pose of the straight needle: the place of its tip, and two angles from straight down.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct NeedlePose {
    /// Tip of the straight needle in world [m].
    pub tip: Vector3<f64>,
    /// Angles by which the needle points towards +x and towards +y [rad].
    pub tilt: [f64; 2],
}

impl NeedlePose {
    /// Direction of the needle in world.
    pub fn direction(&self) -> Vector3<f64> {
        let [x, y] = self.tilt.map(f64::tan);
        Vector3::new(x, y, -1.0).normalize()
    }

    /// Pose of the hub (world from base) of a needle of a length [m].
    fn base(&self, length: f64) -> Isometry3<f64> {
        let forward = self.direction();
        let side = Vector3::y().cross(&forward).normalize();
        let frame = Matrix3::from_columns(&[side, forward.cross(&side), forward]);
        let turn = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(frame));
        Isometry3::from_parts((self.tip - forward * length).into(), turn)
    }
}

/// Body and needle of an environment.
#[derive(Debug, Clone)]
pub struct NeedleState {
    model: Arc<NeedleModel>,
    insertion: Insertion,
    breath: Breath,
    target: Option<TetPoint>,
    /// The straight needle.
    pub(crate) pose: NeedlePose,
    /// Mean of the wrench on the hub in the last step, about the hub, in world [N, N·m].
    pub(crate) wrench: [Vector3<f64>; 2],
    report: Report,
    time: f64,
}

impl NeedleState {
    /// A state at rest without a target.
    pub fn new(model: &Arc<NeedleModel>) -> Self {
        Self {
            insertion: model.rest.clone(),
            model: model.clone(),
            breath: Breath::default(),
            target: None,
            pose: NeedlePose::default(),
            wrench: [Vector3::zeros(); 2],
            report: Report::default(),
            time: 0.0,
        }
    }

    /// Starts an episode: a target at a place at the end of expiration [m], and a needle above a place of the skin x, y [m].
    ///
    /// # Errors
    /// [`EnvError::Config`] for a target outside the body.
    pub fn reset(
        &mut self,
        breath: Breath,
        target: Vector3<f64>,
        entry: [f64; 2],
        tilt: [f64; 2],
    ) -> Result<(), EnvError> {
        self.insertion.restore(&self.model.saved).map_err(refused)?;
        (self.breath, self.time) = (breath, 0.0);
        self.pose = NeedlePose {
            tip: Vector3::new(entry[0], entry[1], 0.0),
            tilt,
        };
        // The skin may rise by a breath.
        self.pose.tip -= self.pose.direction() * (START + breath.amplitude.z.abs());
        self.wrench = [Vector3::zeros(); 2];
        let base = self.base_in_body();
        self.insertion.place(base).map_err(refused)?;
        self.report = self.insertion.report();
        self.target = self.insertion.body().embed_at_rest(target);
        if self.target.is_none() {
            let problem = format!("is at {target:?} m, outside of the body");
            let field = "target".to_owned();
            return Err(EnvError::Config { field, problem });
        }
        Ok(())
    }

    /// Pose of the hub relative to the body, which has moved with the breath.
    fn base_in_body(&self) -> Isometry3<f64> {
        let mut base = self.pose.base(self.model.settings.length);
        base.translation.vector -= self.breath.displacement(self.time);
        base
    }

    /// Moves the straight needle to a pose within a time [s], while the patient breathes.
    ///
    /// # Errors
    /// [`InsertionError`] if the needle or the tissue cannot go on.
    pub fn advance(&mut self, pose: NeedlePose, time: f64) -> Result<(), InsertionError> {
        self.pose = pose;
        self.time += time;
        let base = self.base_in_body();
        let (mut sum, mut n) = ([Vector3::zeros(); 2], 0);
        self.report = self.insertion.advance(base, time, |report| {
            sum[0] += report.force_on_base;
            sum[1] += report.torque_on_base;
            n += 1;
        })?;
        self.wrench = sum.map(|sum| sum / f64::from(n.max(1)));
        Ok(())
    }

    /// Forces and shape after the last step, in the frame of the body, which has the axes of the world.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The breath.
    pub fn breath(&self) -> &Breath {
        &self.breath
    }

    /// Time since the start [s].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Tip of the bent needle in world [m].
    pub fn tip(&self) -> Vector3<f64> {
        self.report.tip + self.breath.displacement(self.time)
    }

    /// The target in world, which moves with breath and tissue [m].
    pub fn target(&self) -> Vector3<f64> {
        let body = self.insertion.body();
        let place = self.target.as_ref().map(|target| body.place(target));
        place.unwrap_or_default() + self.breath.displacement(self.time)
    }

    /// Force along the needle, positive while it pushes, and across it [N].
    pub fn forces(&self) -> [f64; 2] {
        let along = -self.wrench[0].dot(&self.pose.direction());
        let across = (self.wrench[0] + self.pose.direction() * along).norm();
        [along, across]
    }
}
