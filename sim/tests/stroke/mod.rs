//! The probe is pressed into the torso and then slides along the patient, under joint control.

use insonate_sim::arm::Arm;
use insonate_sim::readings::ProbeFrame;
use insonate_sim::{Physics, Pose, ik};
use nalgebra::{DVector, Vector3};

/// The path of the probe's face.
pub(crate) struct Stroke {
    /// Middle of the path, in world [m].
    pub(crate) center: [f64; 2],
    /// Height of the skin [m].
    pub(crate) top: f64,
    pub(crate) half_length: f64,
    pub(crate) clearance: f64,
    pub(crate) depth: f64,
    /// Steps of the press and of the slide.
    pub(crate) n_steps: [f64; 2],
}

impl Stroke {
    /// Runs the first `n_steps` steps, each followed by `record`.
    pub(crate) fn run(
        &self,
        physics: &mut Physics,
        n_steps: usize,
        mut record: impl FnMut(&Physics, usize),
    ) {
        let arm = Arm::new(physics.model()).expect("the scene has an arm");
        let probe = ProbeFrame::new(physics.model()).expect("the scene has a probe");
        let [x, y] = self.center;
        let at = |along: f64, z: f64| {
            Pose::with_z_axis(Vector3::new(x, y + along, z), -Vector3::z(), Vector3::x())
        };
        let goal = |physics: &Physics, along: f64| -> DVector<f64> {
            let pose = at(along, self.top - self.depth);
            ik::solve(physics, &arm, &probe, &pose, &ik::IkConfig::default()).expect("in reach")
        };
        let above = at(-self.half_length, self.top + self.clearance);
        ik::place(physics, &arm, &probe, &above).expect("in reach");
        let start = arm.positions(physics);
        let (deep, end) = (
            goal(physics, -self.half_length),
            goal(physics, self.half_length),
        );
        let [n_down, n_along] = self.n_steps;
        for step in 0..n_steps {
            let down = (step as f64 / n_down).min(1.0);
            let along = ((step as f64 - n_down) / n_along).clamp(0.0, 1.0);
            let wanted = &start + (&deep - &start) * down + (&end - &deep) * along;
            let error = wanted - arm.positions(physics);
            let torque = error * 2000.0 - arm.velocities(physics) * 60.0 + arm.bias(physics);
            arm.apply(physics, torque.as_slice());
            physics.step().expect("the press is stable");
            record(physics, step);
        }
    }
}

/// Sum of the normal contact forces [N].
pub(crate) fn contact_force(physics: &Physics) -> f64 {
    let contacts = physics.contacts().iter();
    contacts.map(|contact| contact.force_in_contact[0]).sum()
}
