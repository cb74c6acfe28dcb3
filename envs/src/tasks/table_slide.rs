//! `table-slide`: slide the probe along a straight path over the bare table at a constant force and speed.
//!
//! A cheap, rigid variant of `probe-sweep` with the same actions, observations, rewards, ends and success criteria
//! ([`super::probe_sweep`]). Only the surface differs: the table's top under a rubber mat instead of a torso. No torso parameter is
//! random.

use std::sync::Arc;

use insonate_models::arena::TABLE_HEIGHT;
use insonate_models::mjcf::Namespace;
use insonate_models::torsos;
use insonate_sim::placement::Skin;
use insonate_sim::verdict::VerdictLimits;

use super::kind::TaskKind;
use super::probe_sweep::{self, Sweep, SweepReward, SweepSettings};
use crate::EnvError;
use crate::actions::{ActionSettings, HybridForceSettings, ImpedanceSettings};
use crate::factory::EnvFactory;
use crate::probe::{
    ProbeTaskSettings, SceneModel, SceneSet, SceneSettings, SuccessCriteria, TimeSettings,
    build_scene, factory,
};
use crate::randomization::{ActiveParameters, RandomizationSettings};
use crate::settings;

/// Registry entry.
pub const KIND: TaskKind = TaskKind {
    name: "table-slide",
    summary: "slide the probe along a path over the bare table at a constant force",
    defaults: &|| settings::table(&defaults()),
    build: &build,
    profiles: &[],
    scripted: &[("action.mode", "hybrid_force")],
    demonstrated: &[],
    is_studied: false,
    ppo: probe_sweep::PPO,
    sac: probe_sweep::SAC,
};

fn defaults() -> ProbeTaskSettings<SweepSettings> {
    ProbeTaskSettings {
        time: TimeSettings {
            control_timestep: 0.05,
            limit: 4.0,
        },
        scene: SceneSettings {
            torso: torsos::NONE.to_owned(),
            ..SceneSettings::default()
        },
        action: ActionSettings {
            hybrid_force: HybridForceSettings {
                force_gain: 0.3,
                force_integral_gain: 3.0,
                approach_speed: 0.008,
                ..HybridForceSettings::default()
            },
            // A rigid table requires a slow approach.
            impedance: ImpedanceSettings {
                axial_damping: 40.0,
                ..ImpedanceSettings::default()
            },
            ..ActionSettings::of_mode("wrench")
        },
        randomization: RandomizationSettings {
            start_height: [0.002, 0.006],
            ..RandomizationSettings::default()
        },
        // The probe bounces on a rigid table, where a micrometre corresponds to newtons.
        verdict: VerdictLimits {
            contact_ratio: 0.95,
            force_error: [2.0, 10.0],
            ..VerdictLimits::default()
        },
        task: SweepSettings {
            area: [0.1, 0.15],
            length: [0.06, 0.12],
            success: SuccessCriteria {
                // On a rigid table a micrometre corresponds to newtons.
                peak_force: 25.0,
                // The force of the mat at 0.04 m/s.
                contact_speed: 0.03,
                // The script reaches 300.
                force_rate: 1000.0,
                ..SuccessCriteria::default()
            },
            reward: SweepReward {
                // Smaller values have not been tried here.
                at_rest: 1.0,
                ..SweepReward::default()
            },
            ..SweepSettings::default()
        },
        ..ProbeTaskSettings::default()
    }
}

fn build(given: &toml::Table) -> Result<EnvFactory, EnvError> {
    let settings: ProbeTaskSettings<SweepSettings> = settings::parse(&defaults(), given)?;
    settings.check()?;
    settings.task.check()?;
    if settings.scene.torso_kind()?.is_some() {
        return Err(EnvError::Config {
            field: "scene.torso".to_owned(),
            problem: format!(
                "is {:?}, but this task has none; see probe-sweep",
                settings.scene.torso
            ),
        });
    }
    let scenes = SceneSet::of(
        settings.randomization.clone(),
        ActiveParameters::of(&["start.", "sensor.", "action.", "force."]),
        model(&settings.scene)?,
    );
    Ok(factory(KIND.name, settings, scenes, |settings, _| {
        let timestep = settings.time.control_timestep;
        Ok(Sweep::new(settings.task.clone(), timestep))
    }))
}

/// The room with a rubber mat on the table: about 10 kN/m under the probe, with low friction (gel).
fn model(settings: &SceneSettings) -> Result<Arc<SceneModel>, EnvError> {
    let scene = build_scene(settings, None)?;
    let mut document = scene.to_mjcf()?;
    if let Some(table) = document.find_mut(Namespace::Geom, "table") {
        table
            .set("priority", 1)
            .set("friction", [0.1, 0.005, 0.0001])
            .set("solimp", [0.5, 0.5, 0.001]);
    }
    SceneModel::of(scene, &document, Skin::Plane(TABLE_HEIGHT))
}
