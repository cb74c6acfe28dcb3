//! A needle that a robot's flange holds, coupled to MuJoCo in both ways.
//!
//! In each step of MuJoCo the hub's pose is where the robot has it. The tissue makes its substeps while the hub moves there from its last pose,
//! and the mean of the wrenches on the hub acts on the flange's tool during the next step: force and torque of the tissue on the needle, about
//! the hub. So the force sensor between flange and needle reads them.

use insonate_needle::{NeedleConfig, Report};
use nalgebra::{Isometry3, Vector3};

use super::block::LayeredBlock;
use super::error::InsertionError;
use super::insertion::Insertion;
use crate::readings::ProbeFrame;
use crate::{Physics, Pose, SimError, Wrench};

/// A needle on a robot's flange, and the tissue. A clone is a saved state.
#[derive(Debug, Clone)]
pub struct HeldNeedle {
    insertion: Insertion,
    hub: ProbeFrame,
    world_from_block: Pose,
    on_hub: Wrench,
}

impl HeldNeedle {
    /// The needle of a scene whose tool is a needle ([`insonate_models::FlangeTool::needle`]), before a block of tissue.
    ///
    /// # Errors
    /// [`InsertionError`] for values that are not allowed, [`SimError::UnknownName`] if the scene holds no tool.
    pub fn new(
        physics: &Physics,
        block: &LayeredBlock,
        config: NeedleConfig,
        world_from_block: Pose,
    ) -> Result<Self, HeldNeedleError> {
        let hub = ProbeFrame::new(physics.model())?;
        let base = in_block(&world_from_block, &hub.world_from_probe(physics));
        let mut insertion = Insertion::new(block, config, base)?;
        insertion.divide(physics.timestep());
        Ok(Self {
            insertion,
            hub,
            world_from_block,
            on_hub: Wrench::default(),
        })
    }

    /// Needle and tissue, in the frame of the block.
    pub fn insertion(&self) -> &Insertion {
        &self.insertion
    }

    /// Force and torque of the tissue on the hub, about the hub, in world, that act in the next step of MuJoCo.
    pub fn wrench_on_hub(&self) -> Wrench {
        self.on_hub
    }

    /// Advances needle and tissue by a step of MuJoCo, up to where the hub is, and lets their wrench act on the flange's tool. Call it before
    /// [`Physics::step`]; it replaces the external force on the tool. `each` is called after every substep of the tissue.
    ///
    /// # Errors
    /// [`InsertionError`] of a substep; the wrench on the hub is zero then.
    pub fn step(
        &mut self,
        physics: &mut Physics,
        mut each: impl FnMut(&Report),
    ) -> Result<(), InsertionError> {
        let to = self.hub.world_from_probe(physics);
        let base = in_block(&self.world_from_block, &to);
        let (mut sum, mut n) = ([Vector3::zeros(); 2], 0);
        let done = self.insertion.advance(base, physics.timestep(), |report| {
            sum[0] += report.force_on_base;
            sum[1] += report.torque_on_base;
            n += 1;
            each(report);
        });
        let share = if done.is_ok() {
            1.0 / f64::from(n.max(1))
        } else {
            0.0
        };
        let [force, torque] = sum.map(|sum| self.world_from_block.rotation * sum * share);
        self.on_hub = Wrench { force, torque };
        // MuJoCo takes the torque about the body's centre of mass.
        let center = Vector3::from(physics.data().xipos()[self.hub.body]);
        let about = torque + (to.position - center).cross(&force);
        let applied = &mut physics.xfrc_applied_mut()[self.hub.body];
        *applied = [force.x, force.y, force.z, about.x, about.y, about.z];
        done.map(|_| ())
    }
}

fn in_block(world_from_block: &Pose, pose: &Pose) -> Isometry3<f64> {
    let world = |pose: &Pose| Isometry3::from_parts(pose.position.into(), pose.rotation);
    world(world_from_block).inv_mul(&world(pose))
}

/// Reason why a robot cannot hold a needle.
#[derive(Debug, thiserror::Error)]
pub enum HeldNeedleError {
    /// The insertion cannot be described.
    #[error(transparent)]
    Insertion(#[from] InsertionError),
    /// The scene holds no tool.
    #[error(transparent)]
    Sim(#[from] SimError),
}
