//! The scenes that the environments of a task share, and how one of them is made ready for an episode.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use insonate_models::torsos::{Breathing, Softness};
use insonate_sim::shell::{Shell, ShellSoftness};
use insonate_sim::{Physics, Pose, Twist};
use nalgebra::{UnitQuaternion, Vector3};

use super::setup::known_torso;
use super::{Frame, Nominal, SceneSettings, Setup, Stage, Studio, shape, soften};
use crate::EnvError;
use crate::randomization::{Episode, RandomizationSettings, Scope};

/// Compiled scenes, one for each size of the torso.
#[derive(Debug)]
pub struct Bank {
    settings: SceneSettings,
    randomization: RandomizationSettings,
    scope: Scope,
    /// The torso's configuration before it is softened; none: the scene has no torso to randomise.
    nominal: Option<Nominal>,
    setups: Vec<(f64, Arc<Setup>)>,
    /// Where the cameras of all environments take their pictures; there once one is asked for.
    studio: Mutex<Weak<Studio>>,
}

impl Bank {
    /// Scenes with a torso. Ranges of stiffness and damping come from the softness file where it has them.
    ///
    /// # Errors
    /// As [`SceneSettings::nominal`] and [`Setup::new`]; [`EnvError::Config`] for what only the `fast` torso can vary.
    pub fn with_torso(
        settings: &SceneSettings,
        randomization: &RandomizationSettings,
    ) -> Result<Self, EnvError> {
        randomization.check()?;
        known_torso(&settings.torso)?;
        let nominal = settings.nominal()?;
        let mut randomization = randomization.clone();
        if let Some([stiffness, damping]) = nominal.ranges {
            (randomization.stiffness, randomization.damping) = (stiffness, damping);
        }
        if settings.torso != "fast" {
            check_fixed(settings, &randomization)?;
        }
        let breathing = randomization.breathing.then(Breathing::default);
        let setups = randomization
            .sizes()
            .into_iter()
            .map(|size| {
                let config = shape(&nominal.config, size, breathing);
                Ok((size, Setup::new(settings, Some(&config))?))
            })
            .collect::<Result<_, EnvError>>()?;
        Ok(Self {
            scope: scope(settings, &randomization),
            settings: settings.clone(),
            randomization,
            nominal: Some(nominal),
            setups,
            studio: Mutex::default(),
        })
    }

    /// One scene that stays as it is; `scope`: the parameters that the task heeds.
    pub fn of(
        settings: SceneSettings,
        randomization: RandomizationSettings,
        scope: Scope,
        setup: Arc<Setup>,
    ) -> Self {
        Self {
            scope,
            settings,
            randomization,
            nominal: None,
            setups: vec![(1.0, setup)],
            studio: Mutex::default(),
        }
    }

    /// Where pictures are taken: one place for all environments, gone with the last of them.
    ///
    /// # Errors
    /// As [`Studio::new`].
    pub fn studio(&self) -> Result<Arc<Studio>, EnvError> {
        let mut known = self.studio.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(studio) = known.upgrade() {
            return Ok(studio);
        }
        let studio = Arc::new(Studio::new()?);
        *known = Arc::downgrade(&studio);
        Ok(studio)
    }

    /// The scene that a new environment starts with.
    pub fn first(&self) -> &Arc<Setup> {
        &self.setups[0].1
    }

    /// What episodes are drawn from.
    pub fn randomization(&self) -> &RandomizationSettings {
        &self.randomization
    }

    /// Which parameters make a difference.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Resets a stage and gives its torso the episode's softness, friction, size, breath and place.
    ///
    /// # Errors
    /// What compiling refuses, for torsos other than `fast`.
    pub fn prepare(&self, stage: &mut Stage, episode: &Episode) -> Result<(), EnvError> {
        let Some(nominal) = &self.nominal else {
            stage.reset();
            return Ok(());
        };
        if self.settings.torso == "fast" {
            self.choose(stage, episode.size)?;
            stage.reset();
            self.vary(stage, nominal, episode)?;
        } else {
            stage.exchange(self.compile(nominal, episode)?)?;
            stage.reset();
        }
        Ok(())
    }

    /// Goes over to the scene of a size.
    fn choose(&self, stage: &mut Stage, size: f64) -> Result<(), EnvError> {
        let nearest = self
            .setups
            .iter()
            .min_by(|a, b| (a.0 - size).abs().total_cmp(&(b.0 - size).abs()));
        match nearest {
            Some((_, setup)) if !Arc::ptr_eq(setup, &stage.setup) => stage.exchange(setup.clone()),
            _ => Ok(()),
        }
    }

    /// Softness, friction, breath and place without compiling.
    fn vary(
        &self,
        stage: &mut Stage,
        nominal: &Nominal,
        episode: &Episode,
    ) -> Result<(), EnvError> {
        let [stiffness, damping] = episode.softness;
        let softness = Softness { stiffness, damping };
        let config = soften(nominal, &softness, stage.physics.timestep());
        if let Some(shell) = stage.physics.shell_mut() {
            shell.set_softness(&ShellSoftness::from(&config))?;
            shell.set_friction(episode.friction);
            if self.randomization.breathing {
                let [rate, amplitude] = episode.breathing;
                shell.set_breathing(&Breathing { rate, amplitude })?;
                shell.set_breath_phase(episode.breathing_phase)?;
            }
        }
        stage.place_torso(&resting(stage, episode));
        stage.physics.forward();
        Ok(())
    }

    /// The scene of an episode, for torsos that cannot be varied in place.
    fn compile(&self, nominal: &Nominal, episode: &Episode) -> Result<Arc<Setup>, EnvError> {
        let [stiffness, damping] = episode.softness;
        let config = soften(
            nominal,
            &Softness { stiffness, damping },
            self.settings.physics_timestep,
        );
        let [rate, amplitude] = episode.breathing;
        let breathing = self
            .randomization
            .breathing
            .then_some(Breathing { rate, amplitude });
        Setup::at(
            &self.settings,
            Some(&shape(&config, episode.size, breathing)),
            episode.torso_position,
        )
    }
}

/// What can be varied in a scene with a torso.
fn scope(settings: &SceneSettings, randomization: &RandomizationSettings) -> Scope {
    let mut heeded = vec![
        "torso.stiffness",
        "torso.damping",
        "torso.size",
        "torso.x",
        "torso.y",
        "torso.z",
        "start.",
        "sensor.",
        "action.",
        "force.",
    ];
    if settings.torso == "fast" {
        heeded.extend(["torso.yaw", "torso.friction", "patient."]);
    }
    if randomization.breathing {
        heeded.push("breathing.rate");
        heeded.push("breathing.amplitude");
        heeded.extend((settings.torso == "fast").then_some("breathing.phase"));
    }
    Scope::of(&heeded)
}

/// Where the torso stands when the patient is in the middle of the motion.
fn resting(stage: &Stage, episode: &Episode) -> Frame {
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), episode.torso_yaw);
    // It turns about the middle of its own footprint.
    let center = Vector3::from(stage.setup.scene.torso_position);
    let position = center - rotation * center + Vector3::from(episode.torso_position);
    Frame {
        world_from_rest: Pose { position, rotation },
        twist: Twist::default(),
    }
}

fn check_fixed(
    settings: &SceneSettings,
    randomization: &RandomizationSettings,
) -> Result<(), EnvError> {
    let is_fixed = [
        ("torso_yaw", randomization.torso_yaw == [0.0; 2]),
        (
            "patient_amplitude",
            randomization.patient_amplitude == [0.0; 2],
        ),
    ];
    match is_fixed.iter().find(|(_, is_fixed)| !is_fixed) {
        None => Ok(()),
        Some((name, _)) => Err(EnvError::Config {
            field: format!("randomization.{name}"),
            problem: format!(
                "needs scene.torso = \"fast\"; a {} torso lies still and unturned",
                settings.torso
            ),
        }),
    }
}

impl Stage {
    /// Goes over to another scene.
    fn exchange(&mut self, setup: Arc<Setup>) -> Result<(), EnvError> {
        self.physics = Physics::from_scene(&setup.compiled)?;
        self.setup = setup;
        Ok(())
    }

    /// Puts the torso to a place.
    fn place_torso(&mut self, frame: &Frame) {
        self.rest = *frame;
        self.set_frame(*frame);
    }

    fn set_frame(&mut self, frame: Frame) {
        if frame == self.frame {
            return;
        }
        self.frame = frame;
        if let Some(shell) = self.physics.shell_mut() {
            shell.set_frame(&frame.world_from_rest, &frame.twist);
        }
    }

    /// Moves the torso as the patient moves: a sine about its place.
    pub fn move_patient(&mut self, episode: &Episode) {
        let [x, y] = episode.patient_amplitude;
        if x == 0.0 && y == 0.0 {
            return;
        }
        let rate = std::f64::consts::TAU * episode.patient_rate;
        let phase = rate * self.physics.time() + episode.patient_phase;
        // Starts where the torso was placed.
        let amplitude = Vector3::new(x, y, 0.0);
        let shift = amplitude * (phase.sin() - episode.patient_phase.sin());
        let mut frame = self.rest;
        frame.world_from_rest.position += shift;
        frame.twist.linear = amplitude * (rate * phase.cos());
        self.set_frame(frame);
    }

    /// How far the chest has risen [m] and how fast it rises [m/s]; zero without breathing or another torso than `fast`.
    pub fn breath(&self) -> [f64; 2] {
        self.physics
            .shell()
            .and_then(Shell::breath)
            .unwrap_or_default()
    }
}
