//! How gently the probe touches.

use std::collections::VecDeque;

use nalgebra::Vector3;

use super::SceneState;

/// The usual limit of the speed towards the skin with which contact begins in a success [m/s].
///
/// Chosen: sonographers set a probe down at a few cm/s. ISO/TS 15066 (2016), annex A, limits forces and through them energy, which for an
/// arm of some kilograms on a belly allows several times as much without injury.
pub const CONTACT_SPEED: f64 = 0.1;

/// The usual limit of the rise of the force over 20 ms in a success [N/s].
///
/// Chosen: what a touch at [`CONTACT_SPEED`] meets on the stiffest skin of the tasks' defaults, 2000 N/m. ISO/TS 15066 limits no rate;
/// the scripts rise by 30 to 50 N/s.
pub const FORCE_RATE: f64 = 200.0;

/// Share of the limit below which a contact costs nothing: what is rewarded keeps away from what fails.
const FREE: f64 = 0.5;

/// Time over which the rise of the force counts [s].
const WINDOW: f64 = 0.02;

/// The hardest touch of an episode.
#[derive(Debug, Clone)]
pub struct Touch {
    in_contact: bool,
    /// Speed towards the skin in the last physics step [m/s].
    closing: f64,
    speed: f64,
    /// What [`Touch::take_excess`] has given.
    charged: f64,
    /// Forces of the last [`WINDOW`] [N].
    forces: VecDeque<f64>,
    force_rate: f64,
}

impl Default for Touch {
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

impl Touch {
    /// Adds the last physics step; speed and force count along `axis`, a unit vector in world that points into the patient.
    pub fn update(&mut self, state: &SceneState, axis: &Vector3<f64>) {
        let probe = &state.probe;
        if probe.in_contact && !self.in_contact {
            // Of the step before: contact has slowed the probe since.
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

    /// The greatest speed towards the skin with which contact began [m/s]; NaN without contact.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// By how much $\max(0, u / u_{max} - 1/2)$ has grown since the last call, $u$: [`Self::speed`], for a limit $u_{max}$ [m/s].
    ///
    /// An episode's sum is that of its hardest contact, so that touching again costs nothing unless it is harder.
    pub fn take_excess(&mut self, limit: f64) -> f64 {
        // NaN without contact; a limit of 0 makes it infinite.
        let excess = (self.speed / limit.max(1e-3) - FREE).max(0.0);
        let grown = excess - self.charged;
        self.charged = excess;
        grown
    }

    /// The greatest rise of the force over 20 ms [N/s].
    pub fn force_rate(&self) -> f64 {
        self.force_rate
    }
}
