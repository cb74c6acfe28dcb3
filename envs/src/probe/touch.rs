//! Contact speed and force rate of the probe.

use std::collections::VecDeque;

use nalgebra::Vector3;

use super::SceneState;

/// Default limit of the speed towards the skin at the start of a contact, for a success [m/s].
///
/// Chosen value: sonographers place a probe at a few cm/s. ISO/TS 15066 (2016), annex A, limits forces and, through them, energy. For an
/// arm of some kilograms on a belly it allows several times this speed without injury.
pub const CONTACT_SPEED: f64 = 0.1;

/// Default limit of the increase of the force over 20 ms, for a success [N/s].
///
/// Chosen value: the rate of a contact at [`CONTACT_SPEED`] on the stiffest skin of the tasks' defaults, 2000 N/m. ISO/TS 15066 limits no
/// rate. The scripts reach 30 to 50 N/s.
pub const FORCE_RATE: f64 = 200.0;

/// Fraction of the limit below which a contact costs nothing, so that the reward keeps a margin to the limit.
const FREE: f64 = 0.5;

/// Time window for the increase of the force [s].
const WINDOW: f64 = 0.02;

/// The hardest touch of an episode.
#[derive(Debug, Clone)]
pub struct ContactPeak {
    in_contact: bool,
    /// Speed towards the skin in the last physics step [m/s].
    closing: f64,
    speed: f64,
    /// Sum of the values returned by [`ContactPeak::contact_speed_penalty`].
    charged: f64,
    /// Forces within the last [`WINDOW`] [N].
    forces: VecDeque<f64>,
    force_rate: f64,
}

impl Default for ContactPeak {
    fn default() -> Self {
        Self {
            in_contact: false,
            closing: 0.0,
            speed: f64::NAN,
            charged: 0.0,
            forces: VecDeque::new(),
            force_rate: 0.0,
        }
    }
}

impl ContactPeak {
    /// Adds the last physics step. Speed and force are measured along `axis`, a unit vector in world that points into the patient.
    pub fn update(&mut self, state: &SceneState, axis: &Vector3<f64>) {
        let probe = &state.probe;
        if probe.in_contact && !self.in_contact {
            // Uses the speed of the previous step, because contact has slowed the probe since.
            self.speed = self.speed.max(self.closing);
        }
        self.in_contact = probe.in_contact;
        let [_, rising] = state.breath();
        let skin = state.torso.twist.linear + Vector3::z() * rising;
        self.closing = (probe.twist.linear - skin).dot(axis).max(0.0);
        let force = -probe.force.dot(axis);
        let n_kept = (WINDOW / state.physics.timestep()).round().max(1.0) as usize;
        if self.forces.len() >= n_kept
            && let Some(before) = self.forces.pop_front()
        {
            self.force_rate = self.force_rate.max((force - before) / WINDOW);
        }
        self.forces.push_back(force);
    }

    /// Maximum speed towards the skin at the start of a contact [m/s]. NaN without contact.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Increase since the last call of $\max(0, u / u_{max} - 1/2)$, where $u$ is [`Self::speed`] and $u_{max}$ the limit [m/s].
    ///
    /// The sum over an episode is that of its hardest contact, so another contact costs nothing unless it is harder.
    pub fn contact_speed_penalty(&mut self, limit: f64) -> f64 {
        // NaN without contact. A limit of 0 is replaced by a small value.
        let excess = (self.speed / limit.max(1e-3) - FREE).max(0.0);
        let grown = excess - self.charged;
        self.charged = excess;
        grown
    }

    /// Maximum increase of the force over 20 ms [N/s].
    pub fn force_rate(&self) -> f64 {
        self.force_rate
    }
}
