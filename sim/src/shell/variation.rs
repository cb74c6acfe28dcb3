//! What a shell can change without its scene being compiled anew: softness, breathing, friction, and where the torso stands.
//!
//! All is exact: a shell that was changed moves as one whose scene was compiled so. Only these are not so:
//!
//! * A frame that moves carries the torso, but does not accelerate it: inertial forces on the capsules are left out, some
//!   millinewtons for the motions of patients.
//! * The oscillator of a breathing torso feels no gravity, however the torso is turned; compiled lying on its side, it would.
//! * What MuJoCo has of the torso besides its capsules (the hard sphere in the middle of `cylinder`, `box` and `ellipsoid`) follows
//!   a step later, and only where the torso's root hangs in the world itself.

use insonate_models::torsos::{Breathing, Solref, TorsoConfig};
use nalgebra::Vector3;

use super::breath::ratio;
use super::frame::Frame;
use super::rows::Law;
use super::{Shell, ShellModel};
use crate::{Pose, SimError, Twist};

/// MuJoCo's default `solref`: critically damped, 20 ms.
const DEFAULT_SOLREF: [f64; 2] = [0.02, 1.0];

/// How soft a shell is: the constraints of a [`TorsoConfig`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShellSoftness {
    /// What makes neighbouring points slide alike.
    pub neighbors: Solref,
    /// What returns each point to its rest; none: MuJoCo's default, a critically damped 20 ms.
    pub rest: Option<Solref>,
    /// Contact with the skin; none: likewise.
    pub contact: Option<Solref>,
}

impl From<&TorsoConfig> for ShellSoftness {
    fn from(config: &TorsoConfig) -> Self {
        Self {
            neighbors: config.neighbors.unwrap_or(Solref {
                stiffness: config.softness.stiffness,
                damping: config.softness.damping,
            }),
            rest: config.rest,
            contact: config.contact,
        }
    }
}

/// What was set last, as far as later changes need it.
#[derive(Debug)]
pub(super) struct Varied {
    neighbors: [f64; 2],
    rest: [f64; 2],
    /// Rise of the surface from breathed out to breathed in [m].
    amplitude: f64,
    reach: Vec<f64>,
}

impl Varied {
    pub(super) fn of(model: &ShellModel) -> Self {
        let network = &model.network;
        Self {
            neighbors: network
                .couplings
                .first()
                .map_or(DEFAULT_SOLREF, |neighbors| neighbors.solref),
            rest: network.ties.solref,
            amplitude: model.breath.as_ref().map_or(0.0, |breath| breath.amplitude),
            reach: Vec::new(),
        }
    }
}

impl Shell {
    /// Moves the whole torso: from where it was compiled to `world_from_rest`, where it moves at `twist` (in world, about that
    /// frame's origin), which the contacts feel. To be called whenever the motion changes; [`Shell::reset`] undoes it.
    pub fn set_frame(&mut self, world_from_rest: &Pose, twist: &Twist) {
        let turned = world_from_rest.rotation != self.frame.world_from_rest.rotation;
        self.frame = Frame::new(*world_from_rest, *twist);
        if turned {
            self.update_rest_force();
        }
    }

    /// Where the torso is, from where it was compiled, in world; and the velocity of that frame.
    pub fn frame(&self) -> (Pose, Twist) {
        (self.frame.world_from_rest, self.frame.twist)
    }

    /// Makes the shell as soft as a scene compiled with these constraints.
    ///
    /// Costs about 10 µs on a breathing shell, where the reach of the breath depends on it, and next to nothing on others.
    ///
    /// # Errors
    /// [`SimError::Shell`] for a shell without rest constraints or without couplings of neighbours, each of one kind.
    pub fn set_softness(&mut self, softness: &ShellSoftness) -> Result<(), SimError> {
        let network = &self.model.network;
        if !network.has_neighbors || network.ties.weight.iter().all(|&weight| weight == 0.0) {
            return Err(SimError::Shell {
                problem: "has no rest and neighbour constraints that could be made softer"
                    .to_owned(),
            });
        }
        let direct = |solref: Option<Solref>| solref.map_or(DEFAULT_SOLREF, Solref::attribute);
        let law =
            |solref: [f64; 2], impedance: f64| Law::of(solref, impedance, impedance, self.timestep);
        self.varied.neighbors = softness.neighbors.attribute();
        self.varied.rest = direct(softness.rest);
        self.tuning.couplings[0] = law(self.varied.neighbors, network.couplings[0].impedance);
        self.tuning.tie = law(self.varied.rest, network.ties.impedance);
        self.surface.solref = direct(softness.contact);
        self.meet_colliders();
        self.breathe();
        Ok(())
    }

    /// Makes a breathing shell breathe at another rate and by another amplitude, from none to any.
    ///
    /// Meant for the start of an episode, breathed out; in the middle of a breath, use [`Shell::set_breath_phase`] after it.
    ///
    /// # Errors
    /// [`SimError::Shell`] for a shell compiled without breathing, or with none of any size.
    pub fn set_breathing(&mut self, breathing: &Breathing) -> Result<(), SimError> {
        let breath = self.model.breath.as_ref().ok_or_else(breathless)?;
        let frequency = std::f64::consts::TAU * breathing.rate;
        self.tuning.springs[breath.spring].stiffness = breath.mass * frequency * frequency;
        self.varied.amplitude = breathing.amplitude;
        self.update_rest_force();
        self.breathe();
        Ok(())
    }

    /// How far the front has risen with the breath [m] and how fast it rises [m/s]; none for a shell without breathing.
    pub fn breath(&self) -> Option<[f64; 2]> {
        let breath = self.model.breath.as_ref()?;
        let amplitude = self.varied.amplitude;
        Some([
            amplitude * self.q[breath.driver],
            amplitude * self.v[breath.driver],
        ])
    }

    /// Puts a breathing shell at a phase of its breath [rad]: 0 breathed out, π breathed in. The capsules go along; what presses
    /// on them is forgotten.
    ///
    /// # Errors
    /// As [`Shell::set_breathing`].
    pub fn set_breath_phase(&mut self, phase: f64) -> Result<(), SimError> {
        let breath = self.model.breath.as_ref().ok_or_else(breathless)?;
        let spring = &self.tuning.springs[breath.spring];
        let frequency = (spring.stiffness / breath.mass).sqrt();
        let (position, velocity) = (0.5 * (1.0 - phase.cos()), 0.5 * frequency * phase.sin());
        let scale = self.varied.amplitude / breath.amplitude;
        for (node, displacement) in breath.displacement.iter().enumerate() {
            self.q[node] = scale * displacement * position;
            self.v[node] = scale * displacement * velocity;
        }
        (self.q[breath.driver], self.v[breath.driver]) = (position, velocity);
        Ok(())
    }

    /// Gives the skin another coefficient of sliding friction. As in MuJoCo, a contact has the larger of the skin's and the other
    /// side's, unless one of them has priority.
    pub fn set_friction(&mut self, friction: f64) {
        self.surface.friction = friction;
        self.meet_colliders();
    }

    fn meet_colliders(&mut self) {
        for collider in &mut self.colliders {
            collider.meet(&self.surface);
        }
    }

    /// Gravity along the capsules' axes as the torso now lies, and the springs.
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

    /// The reach of the breath, which depends on amplitude and softness.
    fn breathe(&mut self) {
        let Some(breath) = &self.model.breath else {
            return;
        };
        let (varied, network) = (&mut self.varied, &self.model.network);
        let ratio = ratio(varied.neighbors, varied.rest);
        breath.reach(network, varied.amplitude, ratio, &mut varied.reach);
        let scale = varied.amplitude / breath.amplitude;
        self.tuning
            .drive(network, &varied.reach, scale, &mut self.work);
    }
}

fn breathless() -> SimError {
    SimError::Shell {
        problem: "does not breathe; compile it with a breath of any amplitude above 0".to_owned(),
    }
}
