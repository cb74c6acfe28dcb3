//! Changes of a shell without recompiling its scene: softness, breathing, friction, and the torso's pose.
//!
//! A changed shell moves exactly as a shell compiled with the new values, except:
//!
//! * A moving frame carries the torso but does not accelerate it: inertial forces on the capsules are left out. They are a few
//!   millinewtons for the motions of patients.
//! * Gravity does not act on the oscillator of a breathing torso in any orientation; in a scene compiled with the
//!   torso on its side, it does.
//! * The hard sphere in the middle of `cylinder`, `box` and `ellipsoid` follows one step later, and only if the torso's root is a
//!   child of the world.

use insonate_models::torsos::{Breathing, Solref};
use nalgebra::Vector3;

use super::breath::ratio;
use super::frame::TorsoFrame;
use super::rows::SpringDamper;
use super::settings::{DEFAULT_SOLREF, ShellSolref};
use super::state::Shell;
use crate::{Pose, SimError, Twist};

impl Shell {
    /// Moves the whole torso from its compiled pose to `world_from_rest`. Contacts take the velocity `twist` into account (in world, about
    /// that frame's origin). Must be called whenever the motion changes; [`Shell::reset`] undoes it.
    pub fn set_frame(&mut self, world_from_rest: &Pose, twist: &Twist) {
        let turned = world_from_rest.rotation != self.frame.world_from_rest.rotation;
        self.frame = TorsoFrame::new(*world_from_rest, *twist);
        if turned {
            self.update_rest_force();
        }
    }

    /// Pose of the torso relative to its compiled pose, in world, and the velocity of that frame.
    pub fn frame(&self) -> (Pose, Twist) {
        (self.frame.world_from_rest, self.frame.twist)
    }

    /// Sets the `solref` of the constraints, as if the scene had been compiled with it.
    ///
    /// A softness that varies over the skin keeps its factors: they are in the weights of the constraints, not in their `solref`.
    /// Takes about 10 µs on a breathing shell, because the reach of the breath depends on it.
    ///
    /// # Errors
    /// [`SimError::Shell`] if the rest constraints or the couplings of neighbours are missing or of several kinds.
    pub fn set_solref(&mut self, solref: &ShellSolref) -> Result<(), SimError> {
        let network = &self.model.network;
        if !network.has_neighbors || network.ties.weight.iter().all(|&weight| weight == 0.0) {
            return Err(SimError::Shell {
                problem: "has no rest and neighbour constraints that could be made softer"
                    .to_owned(),
            });
        }
        // Where the softness varies, a row's own impedance has the factor of its place.
        let [rest, neighbors] = if network.varies() {
            solref.impedances
        } else {
            [network.ties.impedance, network.couplings[0].impedance]
        };
        let direct = |solref: Option<Solref>| solref.map_or(DEFAULT_SOLREF, Solref::attribute);
        let law = |solref: [f64; 2], impedance: f64| {
            SpringDamper::of(solref, impedance, impedance, self.timestep)
        };
        self.settings.neighbors = solref.neighbors.attribute();
        self.settings.rest = direct(solref.rest);
        self.tuning.couplings[0] = law(self.settings.neighbors, neighbors);
        self.tuning.tie = law(self.settings.rest, rest);
        self.params.solref = direct(solref.contact);
        self.mix_params();
        self.breathe();
        Ok(())
    }

    /// Sets rate and amplitude of a breathing shell.
    ///
    /// Intended for the start of an episode, when breathed out; in the middle of a breath, call [`Shell::set_breath_phase`] afterwards.
    ///
    /// # Errors
    /// [`SimError::Shell`] if the shell was compiled without breathing, or with a breath of amplitude 0.
    pub fn set_breathing(&mut self, breathing: &Breathing) -> Result<(), SimError> {
        let breath = self.model.breath.as_ref().ok_or_else(breathless)?;
        let frequency = std::f64::consts::TAU * breathing.rate;
        self.tuning.springs[breath.spring].stiffness = breath.mass * frequency * frequency;
        self.settings.amplitude = breathing.amplitude;
        self.update_rest_force();
        self.breathe();
        Ok(())
    }

    /// Rise of the front by the breath [m] and its rate [m/s]; `None` for a shell without breathing.
    pub fn breath(&self) -> Option<[f64; 2]> {
        let breath = self.model.breath.as_ref()?;
        let amplitude = self.settings.amplitude;
        Some([
            amplitude * self.q[breath.driver],
            amplitude * self.v[breath.driver],
        ])
    }

    /// Sets the phase of the breath [rad]: 0 breathed out, π breathed in. The capsules move to their positions without contact.
    ///
    /// # Errors
    /// As [`Shell::set_breathing`].
    pub fn set_breath_phase(&mut self, phase: f64) -> Result<(), SimError> {
        let breath = self.model.breath.as_ref().ok_or_else(breathless)?;
        let spring = &self.tuning.springs[breath.spring];
        let frequency = (spring.stiffness / breath.mass).sqrt();
        let (position, velocity) = (0.5 * (1.0 - phase.cos()), 0.5 * frequency * phase.sin());
        let scale = self.settings.amplitude / breath.amplitude;
        for (node, displacement) in breath.displacement.iter().enumerate() {
            self.q[node] = scale * displacement * position;
            self.v[node] = scale * displacement * velocity;
        }
        (self.q[breath.driver], self.v[breath.driver]) = (position, velocity);
        Ok(())
    }

    /// Sets the skin's coefficient of sliding friction. As in MuJoCo, a contact uses the larger coefficient of both sides, unless one side
    /// has priority.
    pub fn set_friction(&mut self, friction: f64) {
        self.params.friction = friction;
        self.mix_params();
    }

    fn mix_params(&mut self) {
        for collider in &mut self.colliders {
            collider.set_capsule_params(&self.params);
        }
    }

    /// Sets the force at rest from the springs and from gravity along the capsules' axes in the torso's current orientation.
    fn update_rest_force(&mut self) {
        let model = &self.model;
        let gravity = Vector3::from(model.gravity);
        let change = self.frame.rotation.tr_mul(&gravity) - gravity;
        let more = model.weight.iter().zip(&model.axis);
        self.tuning.set_rest_force(
            &model.network,
            more.map(|(weight, axis)| weight * Vector3::from(*axis).dot(&change)),
        );
    }

    /// Updates the reach of the breath, which depends on amplitude and `solref`.
    fn breathe(&mut self) {
        let Some(breath) = &self.model.breath else {
            return;
        };
        let (settings, network) = (&mut self.settings, &self.model.network);
        let ratio = ratio(network, settings.neighbors, settings.rest);
        breath.reach(network, settings.amplitude, ratio, &mut settings.reach);
        let scale = settings.amplitude / breath.amplitude;
        self.tuning
            .drive(network, &settings.reach, scale, &mut self.work);
    }
}

fn breathless() -> SimError {
    SimError::Shell {
        problem: "does not breathe; compile it with a breath of any amplitude above 0".to_owned(),
    }
}
