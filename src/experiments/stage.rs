//! A scene set up for an experiment: where the skin is, how the probe stands on it, and what is measured.

use anyhow::Context as _;
use nalgebra::Vector3;

use super::Sample;
use crate::models::Scene;
use crate::sim::arm::Arm;
use crate::sim::readings::{ProbeContact, ProbeFrame};
use crate::sim::{CompiledScene, Physics, Pose, ik};

/// A running scene with the probe's readings at hand.
#[derive(Debug)]
pub(super) struct Stage<'a> {
    scene: &'a Scene,
    pub(super) compiled: CompiledScene,
    pub(super) physics: Physics,
    pub(super) probe: ProbeFrame,
    contact: ProbeContact,
    /// The probe's lateral direction in the home pose: the arm is comfortable with it.
    home_lateral: Vector3<f64>,
}

/// A point of the skin that the probe can stand on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foothold {
    /// On the skin at rest, in world [m].
    pub(super) point: Vector3<f64>,
    /// Outward normal, averaged over the probe's face, in world.
    pub(super) normal: Vector3<f64>,
}

/// Half sizes of the face over which normals are averaged [m].
const FACE: [f64; 2] = [0.025, 0.008];

impl<'a> Stage<'a> {
    /// Compiles a scene and puts the robot into its home pose.
    pub(super) fn new(scene: &'a Scene) -> anyhow::Result<Self> {
        let compiled = CompiledScene::compile(&scene.to_mjcf()?)?;
        let physics = Physics::from_scene(&compiled)?;
        let probe = ProbeFrame::new(physics.model())?;
        let home_lateral = probe.world_from_probe(&physics).rotation * Vector3::x();
        let contact = ProbeContact::new(physics.model())?;
        Ok(Self {
            scene,
            compiled,
            physics,
            probe,
            contact,
            home_lateral,
        })
    }

    /// The skin above `(x, y)` of the torso's frame.
    pub(super) fn foothold(&self, x: f64, y: f64) -> anyhow::Result<Foothold> {
        let torso = self
            .scene
            .torso
            .as_ref()
            .context("the scene has no torso to touch; choose one with --torso")?;
        let origin = Vector3::from(self.scene.torso_position);
        let at = |x: f64, y: f64| torso.surface.above(x, y);
        let (low, high) = torso.surface.bounds();
        let here = at(x, y).with_context(|| {
            format!(
                "({x}, {y}) lies beside the torso, which reaches from ({:.3}, {:.3}) to ({:.3}, {:.3}) m",
                low[0], low[1], high[0], high[1]
            )
        })?;
        let around = [-1.0, 0.0, 1.0]
            .iter()
            .flat_map(|i| [-1.0, 0.0, 1.0].map(|j| (x + i * FACE[0], y + j * FACE[1])));
        let normal: Vector3<f64> = around
            .filter_map(|(x, y)| at(x, y))
            .map(|point| Vector3::from(point.normal))
            .sum();
        Ok(Foothold {
            point: Vector3::from(here.position) + origin,
            normal: normal.normalize(),
        })
    }

    /// The probe's pose on a foothold, `lift` above it, its array across `along` (or as at home).
    pub(super) fn pose_on(
        &self,
        foothold: &Foothold,
        lift: f64,
        along: Option<Vector3<f64>>,
    ) -> Pose {
        let lateral = along.map_or(self.home_lateral, |along| foothold.normal.cross(&along));
        let sign = if lateral.dot(&self.home_lateral) < 0.0 {
            -1.0
        } else {
            1.0
        };
        Pose::with_z_axis(
            foothold.point + foothold.normal * lift,
            -foothold.normal,
            lateral * sign,
        )
    }

    /// Puts the robot at rest with the probe at a pose, and sets the force sensor's zero there.
    pub(super) fn place(&mut self, pose: &Pose) -> anyhow::Result<()> {
        let arm = Arm::new(self.physics.model())?;
        ik::place(&mut self.physics, &arm, &self.probe, pose)?;
        if let Some(sensor) = self.physics.force_torque_mut() {
            sensor.tare();
        }
        Ok(())
    }

    /// Whether the probe touches anything.
    pub(super) fn in_contact(&self) -> bool {
        self.contact.in_contact(&self.physics)
    }

    /// What is measured now, against a goal on a foothold, moving along `direction`.
    pub(super) fn sample(
        &self,
        phase: usize,
        goal: &Pose,
        foothold: &Foothold,
        direction: Option<Vector3<f64>>,
    ) -> Sample {
        let pose = self.probe.world_from_probe(&self.physics);
        let twist = self.probe.twist_in_world(&self.physics);
        let wrench = self
            .physics
            .force_torque()
            .map(crate::sim::readings::ForceTorque::wrench_in_sensor)
            .unwrap_or_default();
        let offset = pose.position - foothold.point;
        let across = direction.map_or(0.0, |direction| {
            offset.dot(&foothold.normal.cross(&direction))
        });
        Sample {
            time: self.physics.time(),
            phase,
            position: pose.position.into(),
            target: goal.position.into(),
            velocity: twist.linear.into(),
            // The sensor tells what the tissue does to the probe; the log, what the probe does to the tissue.
            force: (-wrench.force).into(),
            torque: (-wrench.torque).into(),
            contact_force: self.contact.force_in_world(&self.physics).into(),
            in_contact: self.contact.in_contact(&self.physics),
            indentation: -offset.dot(&foothold.normal),
            path_error: across.abs(),
            tilt: pose.z_axis().angle(&goal.z_axis()),
        }
    }
}
