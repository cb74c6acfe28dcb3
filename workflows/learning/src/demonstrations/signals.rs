//! Numbers of a scene that are recorded with the observations of demonstrations.
//!
//! | signal | entries |
//! |---|---|
//! | `probe_wrench` | force [N] and torque [N·m] of the probe on the tissue about the face centre, in the probe's frame |
//! | `flange_wrench` | the same about the flange, in the flange's frame |
//! | `probe_pose` | position [m] and quaternion wxyz of the face in the world |
//! | `joint_position` | joints of the robot [rad] |
//!
//! They are true values, without the noise of the observation.

use insonate_datasets::SignalInfo;
use insonate_envs::Env;
use insonate_sim::names::{ObjectType, find};
use insonate_sim::readings::{ForceTorque, Joints, ProbeFrame};
use insonate_sim::{Physics, Pose, Wrench};

use crate::LearningError;

/// Signals of the scenes of a task with an arm and a probe; none for other tasks.
#[derive(Debug, Default)]
pub struct SceneSignals {
    signals: Vec<SignalInfo>,
    /// Where the numbers are in the scene of the episode.
    source: Option<Source>,
}

#[derive(Debug)]
struct Source {
    probe: ProbeFrame,
    joints: Joints,
    /// Body that carries the probe.
    flange: usize,
}

impl Source {
    /// `None` for an environment without a probe on a flange.
    fn of(env: &dyn Env) -> Option<Self> {
        let torso = env.torso()?;
        let model = torso.physics.model();
        let flange = torso.scene.robot.flange.as_ref()?;
        torso.physics.force_torque()?;
        Some(Self {
            probe: ProbeFrame::new(model).ok()?,
            joints: Joints::new(model),
            flange: find(model, ObjectType::Body, &format!("robot/{flange}")).ok()?,
        })
    }

    fn infos(&self) -> Vec<SignalInfo> {
        let wrench = ["fx", "fy", "fz"].map(|name| format!("{name} [N]"));
        let torque = ["tx", "ty", "tz"].map(|name| format!("{name} [N·m]"));
        let wrench = [wrench, torque].concat();
        let position = ["x", "y", "z"].map(|name| format!("{name} [m]"));
        let quaternion = ["qw", "qx", "qy", "qz"].map(|name| format!("{name} [1]"));
        let joints = self.joints.names.iter().map(|name| format!("{name} [rad]"));
        let signal = |name: &str, entries| SignalInfo {
            name: name.to_owned(),
            entries,
        };
        vec![
            signal("probe_wrench", wrench.clone()),
            signal("flange_wrench", wrench),
            signal("probe_pose", [&position[..], &quaternion].concat()),
            signal("joint_position", joints.collect()),
        ]
    }

    fn read(&self, physics: &Physics) -> [Vec<f64>; 4] {
        let sensor = physics.force_torque();
        let in_probe = sensor
            .map(ForceTorque::wrench_in_sensor)
            .unwrap_or_default();
        let in_world = sensor.map(ForceTorque::wrench_in_world).unwrap_or_default();
        let probe = self.probe.world_from_probe(physics);
        let data = physics.data();
        let flange = Pose::from_matrix(data.xpos()[self.flange], data.xmat()[self.flange]);
        let [x, y, z]: [f64; 3] = probe.position.into();
        let [w, i, j, k] = probe.quat();
        [
            numbers(&in_probe),
            numbers(&at(&flange, &in_world, &probe)),
            vec![x, y, z, w, i, j, k],
            self.joints.positions(physics).collect(),
        ]
    }
}

/// A wrench in world axes about the probe's face, about the origin of a frame and in its axes.
fn at(frame: &Pose, in_world: &Wrench, probe: &Pose) -> Wrench {
    let back = frame.rotation.inverse();
    let arm = probe.position - frame.position;
    Wrench {
        force: back * in_world.force,
        torque: back * (in_world.torque + arm.cross(&in_world.force)),
    }
}

/// Force and torque of the probe on the tissue, from those of the tissue on the probe.
fn numbers(on_probe: &Wrench) -> Vec<f64> {
    let parts = [on_probe.force, on_probe.torque];
    parts.iter().flatten().map(|number| -number).collect()
}

impl SceneSignals {
    /// The signals of an environment.
    pub fn of(env: &dyn Env) -> Self {
        let source = Source::of(env);
        Self {
            signals: source.as_ref().map_or_else(Vec::new, Source::infos),
            source,
        }
    }

    /// Names of the signals.
    pub fn infos(&self) -> &[SignalInfo] {
        &self.signals
    }

    /// Starts an episode. Its scene may differ from the previous one.
    ///
    /// # Errors
    /// [`LearningError::NoScene`] if the scene has no probe, unlike the first one.
    pub fn begin(&mut self, env: &dyn Env) -> Result<(), LearningError> {
        if self.signals.is_empty() {
            return Ok(());
        }
        let source = Source::of(env).ok_or_else(|| LearningError::NoScene {
            task: env.spec().id.clone(),
        })?;
        self.source = Some(source);
        Ok(())
    }

    /// Appends the current numbers of each signal.
    pub fn take(&self, env: &dyn Env, signals: &mut [Vec<f32>]) {
        let (Some(source), Some((_, physics))) = (&self.source, env.scene()) else {
            return;
        };
        for (signal, values) in signals.iter_mut().zip(source.read(physics)) {
            signal.extend(values.into_iter().map(|value| value as f32));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A force of 2 N along the world's x axis at a point 0.1 m below a flange that is turned by 90° about z.
    #[test]
    fn a_wrench_is_moved_to_the_flange() {
        let quarter = std::f64::consts::FRAC_1_SQRT_2;
        let flange = Pose::from_quat([0.5, 0.0, 1.0], [quarter, 0.0, 0.0, quarter]);
        let probe = Pose::from_quat([0.5, 0.0, 0.9], [1.0, 0.0, 0.0, 0.0]);
        let wrench = Wrench {
            force: [2.0, 0.0, 0.0].into(),
            ..Wrench::default()
        };
        let moved = numbers(&at(&flange, &wrench, &probe));
        // The flange's x axis is the world's y axis: the force is along -y, and its torque of -0.2 N·m about the world's y along -x.
        // The numbers are those of the probe on the tissue.
        let expected = [0.0, 2.0, 0.0, 0.2, 0.0, 0.0];
        let mut pairs = moved.iter().zip(expected);
        assert!(
            pairs.all(|(found, wanted)| (found - wanted).abs() < 1e-12),
            "{moved:?}"
        );
    }
}
