//! Motion of the tool, and what is read.

use std::fs;

use nalgebra::Vector3;

use super::Case;

/// Distance of the tool from the block at the start [m].
pub(crate) const GAP: f64 = 0.001;
/// Speed of the tool [m/s].
pub(crate) const SPEED: f64 = 0.02;
/// Time at rest after each motion [s].
pub(crate) const HOLD: f64 = 0.4;
/// The part of it at the end over which forces are averaged [s].
pub(crate) const READ: f64 = 0.1;
/// Time between two velocities of the tool [s].
pub(crate) const STEP: f64 = 0.002;

/// Forces and cost of a case.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    /// As those of [`forces`](super::reference::forces) [N].
    pub(crate) forces: Vec<f64>,
    /// Processor time of a simulated second [s]; `None` where the system does not tell it.
    pub(crate) cpu: Option<f64>,
}

/// Moves the tool of a case: `step` is given a velocity along x and z [m/s], and returns the force on the tool [N] after [`STEP`].
pub(crate) fn follow(case: &Case, mut step: impl FnMut([f64; 2]) -> Vector3<f64>) -> Measured {
    let before = processor_time();
    let mut n_all = 0;
    let mut motion = |way: [f64; 2]| {
        let n_move = ((way[0].abs() + way[1].abs()) / SPEED / STEP).ceil() as usize;
        let velocity = way.map(|way| way / (n_move as f64 * STEP));
        for _ in 0..n_move {
            step(velocity);
        }
        let [n_hold, n_read] = [HOLD, READ].map(|time| (time / STEP).round() as usize);
        for _ in n_read..n_hold {
            step([0.0; 2]);
        }
        let sum: Vector3<f64> = (0..n_read).map(|_| step([0.0; 2])).sum();
        n_all += n_move + n_hold;
        sum / n_read as f64
    };
    let mut forces = vec![motion([0.0, -GAP - case.depth]).z];
    let mut from = 0.0;
    for &drag in case.drags {
        forces.push(-motion([drag - from, 0.0]).x);
        from = drag;
    }
    let simulated = n_all as f64 * STEP;
    let cpu = before.zip(processor_time());
    Measured {
        forces,
        cpu: cpu.map(|(before, after)| (after - before) / simulated),
    }
}

/// Processor time of all threads of this process [s], on Linux.
fn processor_time() -> Option<f64> {
    let mut sum = 0.0;
    for task in fs::read_dir("/proc/self/task").ok()? {
        let text = fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
        sum += nanoseconds * 1e-9;
    }
    Some(sum)
}
