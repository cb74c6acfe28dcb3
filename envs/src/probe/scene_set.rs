//! Scenes that the environments of a task share, and their preparation for an episode.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use insonate_models::SceneConfig;
use insonate_models::torsos::{self, Breathing, Softness, TorsoConfig, TorsoKind};
use insonate_sim::render::RenderThread;
use insonate_sim::{Pose, Twist};
use nalgebra::{UnitQuaternion, Vector3};

use super::{
    NominalTorso, SceneModel, SceneSettings, SceneState, TorsoFrame, resize_torso, scale_softness,
};

use crate::randomization::{ActiveParameters, EpisodeParameters, RandomizationSettings};
use crate::ultrasound::Patient;
use crate::{EnvError, OwnPatient};

/// Compiled scenes, one per patient and torso size.
#[derive(Debug)]
pub struct SceneSet {
    randomization: RandomizationSettings,
    active: ActiveParameters,
    /// The torsos that vary, one for each patient. Empty if the scene has no torso to randomise.
    torsos: Vec<VariedTorso>,
    models: Vec<SizedModel>,
    /// Renders the images of all environments. Started on first use.
    render_thread: Mutex<Weak<RenderThread>>,
    /// Internal anatomy of patients, by the seeds of their organs, or by their places among the made ones. Built on first use.
    patients: Mutex<BTreeMap<u64, Arc<Patient>>>,
    /// Made patients.
    made: Vec<Arc<OwnPatient>>,
}

/// A compiled scene.
#[derive(Debug)]
struct SizedModel {
    /// Place of its patient among the made ones.
    patient: usize,
    /// Size of its torso.
    size: f64,
    model: Arc<SceneModel>,
}

/// A torso that differs between episodes.
#[derive(Debug)]
struct VariedTorso {
    kind: &'static TorsoKind,
    nominal: NominalTorso,
    /// The scene around it.
    scene: SceneConfig,
}

impl SceneSet {
    /// Scenes with a torso. Ranges of stiffness and damping come from the calibration file if it has them.
    ///
    /// # Errors
    /// Those of [`SceneSettings::nominal`] and [`SceneModel::new`]; [`EnvError::Config`] for variations that the torso does not support.
    pub fn with_torso(
        settings: &SceneSettings,
        randomization: &RandomizationSettings,
    ) -> Result<Self, EnvError> {
        randomization.check()?;
        let made = settings.read_patients()?;
        let kind = torsos::by_name(&settings.torso)?;
        let people = if made.is_empty() {
            vec![None]
        } else {
            made.iter().map(|own| Some(&**own)).collect()
        };
        let is_uniform = randomization.breathing && kind.is_shell();
        let vary = |own: Option<&OwnPatient>| {
            let mut nominal = settings.nominal_of(own)?;
            if is_uniform {
                // The rest of a breathing shell is found for one softness.
                nominal.config.field = None;
            }
            let mut scene = settings.config_of(own)?;
            if is_uniform {
                scene.field = None;
            }
            Ok(VariedTorso {
                kind,
                nominal,
                scene,
            })
        };
        let varied: Vec<VariedTorso> = people
            .into_iter()
            .map(vary)
            .collect::<Result<_, EnvError>>()?;
        let mut randomization = randomization.clone();
        if let Some([stiffness, damping]) = varied[0].nominal.ranges {
            (randomization.stiffness, randomization.damping) = (stiffness, damping);
        }
        if !made.is_empty() {
            if randomization.size != [1.0; 2] {
                return Err(EnvError::Config {
                    field: "randomization.size".to_owned(),
                    problem: "must be [1, 1] with scene.patients: made patients keep their size"
                        .to_owned(),
                });
            }
            randomization.organs = [0, made.len() - 1];
            randomization.check()?;
        }
        if !kind.varies_in_place() {
            check_fixed(kind, &randomization)?;
        }
        let breathing = randomization.breathing.then(Breathing::default);
        let sizes = randomization.sizes();
        let places = (0..varied.len()).flat_map(|n| sizes.iter().map(move |size| (n, *size)));
        let models = places.map(|(patient, size)| {
            let config = resize_torso(&varied[patient].nominal.config, size, breathing);
            let model = SceneModel::at(&varied[patient].scene, Some(&config), [0.0; 3])?;
            Ok(SizedModel {
                patient,
                size,
                model,
            })
        });
        Ok(Self {
            models: models.collect::<Result<_, EnvError>>()?,
            active: active(kind, &randomization),
            randomization,
            torsos: varied,
            render_thread: Mutex::default(),
            patients: Mutex::default(),
            made,
        })
    }

    /// One constant scene. `active`: the parameters that affect the task.
    pub fn of(
        randomization: RandomizationSettings,
        active: ActiveParameters,
        model: Arc<SceneModel>,
    ) -> Self {
        Self {
            active,
            randomization,
            torsos: Vec::new(),
            models: vec![SizedModel {
                patient: 0,
                size: 1.0,
                model,
            }],
            render_thread: Mutex::default(),
            patients: Mutex::default(),
            made: Vec::new(),
        }
    }

    /// The thread that renders for all environments. It ends with the last environment.
    ///
    /// # Errors
    /// Those of [`RenderThread::new`].
    pub fn render_thread(&self) -> Result<Arc<RenderThread>, EnvError> {
        let mut known = self
            .render_thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(render_thread) = known.upgrade() {
            return Ok(render_thread);
        }
        let render_thread = Arc::new(RenderThread::new()?);
        *known = Arc::downgrade(&render_thread);
        Ok(render_thread)
    }

    /// The patient's internal anatomy, shared by all environments: an adult for a seed and an episode's offset from it, or the episode's
    /// made patient.
    ///
    /// # Errors
    /// Those of [`Patient::of`]; [`EnvError::Config`] if the torso's size varies, because organs do not vary with it.
    pub fn patient(&self, seed: u64, organs: u64) -> Result<Arc<Patient>, EnvError> {
        if self.models.iter().any(|own| (own.size - 1.0).abs() > 1e-9) {
            return Err(EnvError::Config {
                field: "randomization.size".to_owned(),
                problem: "must be [1, 1] with observation.ultrasound: organs keep their size"
                    .to_owned(),
            });
        }
        let seed = if self.made.is_empty() {
            seed + organs
        } else {
            organs
        };
        let mut known = self.patients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(patient) = known.get(&seed) {
            return Ok(patient.clone());
        }
        let other = known.values().next();
        let patient = match (
            self.made.get(seed as usize),
            other.and_then(|other| other.with_organs(seed)),
        ) {
            (Some(own), _) => Patient::made(own.clone(), self.first().scene.probe.transducer)?,
            (None, Some(adult)) => adult,
            (None, None) => Patient::of(&self.first().scene, seed)?,
        };
        known.insert(seed, patient.clone());
        Ok(patient)
    }

    /// The made patient of an episode; `None` without made patients.
    pub fn made(&self, organs: u64) -> Option<&Arc<OwnPatient>> {
        let n = self.made.len().max(1) as u64;
        self.made.get((organs % n) as usize)
    }

    /// The initial scene of a new environment.
    pub fn first(&self) -> &Arc<SceneModel> {
        &self.models[0].model
    }

    /// Ranges of the random parameters.
    pub fn randomization(&self) -> &RandomizationSettings {
        &self.randomization
    }

    /// The parameters that have an effect.
    pub fn active(&self) -> &ActiveParameters {
        &self.active
    }

    /// Resets a state and applies the episode's softness, friction, size, breathing and position to its torso.
    ///
    /// # Errors
    /// Compiler errors, for torsos that are compiled for each episode.
    pub fn prepare(
        &self,
        state: &mut SceneState,
        episode: &EpisodeParameters,
    ) -> Result<(), EnvError> {
        let n = self.made.len().max(1) as u64;
        let Some(torso) = self.torsos.get((episode.organs % n) as usize) else {
            state.reset();
            return Ok(());
        };
        if torso.kind.varies_in_place() {
            self.choose(state, episode)?;
            state.reset();
            self.vary(state, torso, episode)?;
        } else if torso.kind.is_tissue() && episode.torso_position == [0.0; 3] {
            self.choose(state, episode)?;
            soften(state, torso, episode)?;
            state.reset();
            self.breathe(state, episode)?;
        } else {
            state.replace_scene(self.compile(torso, episode)?)?;
            state.reset();
            if torso.kind.is_tissue() {
                self.breathe(state, episode)?;
            }
        }
        Ok(())
    }

    /// Selects the scene of the episode's patient and torso size.
    fn choose(&self, state: &mut SceneState, episode: &EpisodeParameters) -> Result<(), EnvError> {
        let n = self.made.len().max(1) as u64;
        let patient = (episode.organs % n) as usize;
        let own = self.models.iter().filter(|own| own.patient == patient);
        let off = |own: &SizedModel| (own.size - episode.size).abs();
        let nearest = own.min_by(|a, b| off(a).total_cmp(&off(b)));
        match nearest {
            Some(own) if !Arc::ptr_eq(&own.model, &state.model) => {
                state.replace_scene(own.model.clone())
            }
            _ => Ok(()),
        }
    }

    /// Applies softness, friction, breathing and position without compiling.
    fn vary(
        &self,
        state: &mut SceneState,
        VariedTorso { kind, nominal, .. }: &VariedTorso,
        episode: &EpisodeParameters,
    ) -> Result<(), EnvError> {
        let config = softened(nominal, episode, state.physics.timestep());
        state.physics.set_softness(kind, &config)?;
        if let Some(shell) = state.physics.shell_mut() {
            shell.set_friction(episode.friction);
        }
        self.breathe(state, episode)?;
        state.place_torso(&resting(state, episode));
        state.physics.forward();
        Ok(())
    }

    /// Applies the episode's breathing, if it varies.
    fn breathe(&self, state: &mut SceneState, episode: &EpisodeParameters) -> Result<(), EnvError> {
        if self.randomization.breathing {
            let [rate, amplitude] = episode.breathing;
            let breathing = Breathing { rate, amplitude };
            state
                .physics
                .set_breathing(&breathing, episode.breathing_phase)?;
        }
        Ok(())
    }

    /// Compiles the scene of an episode, for torsos that cannot be varied in place.
    fn compile(
        &self,
        torso: &VariedTorso,
        episode: &EpisodeParameters,
    ) -> Result<Arc<SceneModel>, EnvError> {
        let config = softened(&torso.nominal, episode, torso.scene.timestep);
        let [rate, amplitude] = episode.breathing;
        let breathing = self
            .randomization
            .breathing
            .then_some(Breathing { rate, amplitude });
        SceneModel::at(
            &torso.scene,
            Some(&resize_torso(&config, episode.size, breathing)),
            episode.torso_position,
        )
    }
}

/// Applies the softness of tissue without compiling.
fn soften(
    state: &mut SceneState,
    torso: &VariedTorso,
    episode: &EpisodeParameters,
) -> Result<(), EnvError> {
    let config = softened(&torso.nominal, episode, state.physics.timestep());
    let config = resize_torso(&config, episode.size, None);
    state.physics.set_softness(torso.kind, &config)?;
    Ok(())
}

/// The nominal torso with the softness of an episode.
fn softened(nominal: &NominalTorso, episode: &EpisodeParameters, timestep: f64) -> TorsoConfig {
    let [stiffness, damping] = episode.softness;
    scale_softness(nominal, &Softness { stiffness, damping }, timestep)
}

/// The parameters that have an effect in a scene with a torso.
fn active(kind: &TorsoKind, randomization: &RandomizationSettings) -> ActiveParameters {
    let mut names = vec![
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
    if kind.varies_in_place() {
        names.extend(["torso.yaw", "torso.friction", "patient."]);
    }
    if randomization.organs != [0, 0] {
        names.push("organs.");
    }
    if randomization.breathing {
        names.push("breathing.rate");
        names.push("breathing.amplitude");
        names.extend(kind.breathes_in_place().then_some("breathing.phase"));
    }
    ActiveParameters::of(&names)
}

/// Pose of the torso at the centre of the patient's motion.
fn resting(state: &SceneState, episode: &EpisodeParameters) -> TorsoFrame {
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), episode.torso_yaw);
    // It rotates about the centre of its footprint.
    let center = Vector3::from(state.model.scene.torso_position);
    let position = center - rotation * center + Vector3::from(episode.torso_position);
    TorsoFrame {
        world_from_rest: Pose { position, rotation },
        twist: Twist::default(),
    }
}

fn check_fixed(kind: &TorsoKind, randomization: &RandomizationSettings) -> Result<(), EnvError> {
    let is_fixed = [
        ("torso_yaw", randomization.torso_yaw == [0.0; 2]),
        (
            "patient_amplitude",
            randomization.patient_amplitude == [0.0; 2],
        ),
    ];
    match is_fixed.iter().find(|(_, is_fixed)| !is_fixed) {
        None => Ok(()),
        Some((name, _)) => {
            let able = torsos::ALL.iter().filter(|kind| kind.varies_in_place());
            let able: Vec<String> = able.map(|kind| format!("{:?}", kind.name)).collect();
            Err(EnvError::Config {
                field: format!("randomization.{name}"),
                problem: format!(
                    "needs scene.torso = {}; a {} torso neither moves nor rotates",
                    able.join(" or "),
                    kind.name
                ),
            })
        }
    }
}
