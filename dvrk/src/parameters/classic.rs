//! Parameters with which the PSM can be simulated: bodies that can exist, with the torques of the identified ones.
//!
//! Of the published parameters ([`identified`]) it changes what no torque shows, and the least of what torques show:
//! - Iyy and Izz of links 4 and 5, which translate and yaw about x alone, become those of slender bars;
//! - the motor inertias of joints 4 to 7, which came out at up to -6e-4 kg m² (the fit put phase errors of filters there), become those of a small rotor behind its gear: this is identifiable and changes torques by `Im q̈`;
//! - the instrument's distal links, which have no mass in the fit, get [`DISTAL`]: a simulator can step no body without inertia.

use super::drives;
use super::identified::{DRIVES, identified};
use crate::inertia::Inertia;
use crate::psm::Psm;

/// Links 4 and 5, their Iyy = Izz about the centre [kg m²]: m l²/12 of bars 0.5 m long.
const BARS: [(usize, f64); 2] = [(4, 0.0616), (5, 0.01)];

/// Rotor inertia of a wrist motor behind its gear [kg m²].
const WRIST_MOTOR_INERTIA: f64 = 7e-6;
/// Drives of motors 4 to 7.
const WRIST_MOTORS: [usize; 4] = [3, 4, 7, 8];

/// Mass [kg], centre [m] and inertia about it [kg m²] of shaft, wrist and jaws.
const DISTAL: [(usize, f64, [f64; 3], [f64; 6]); 4] = [
    (10, 1e-4, [0.0; 3], [1e-9, 0.0, 0.0, 1e-9, 0.0, 1e-9]),
    (11, 1e-4, [0.0; 3], [1e-9, 0.0, 0.0, 1e-9, 0.0, 1e-9]),
    (12, 1e-4, [0.0; 3], [1e-9, 0.0, 0.0, 1e-9, 0.0, 1e-9]),
    (13, 1e-4, [0.0; 3], [1e-9, 0.0, 0.0, 1e-9, 0.0, 1e-9]),
];

/// The PSM of the da Vinci classic with parameters that a simulator can step.
pub fn classic() -> Psm {
    let mut psm = identified();
    for (link, bar) in BARS {
        let inertia = &mut psm.links[link].inertia;
        let (mass, centre) = (inertia.mass, inertia.centre());
        let about = inertia.about_its_centre();
        *inertia = Inertia::about_centre(
            mass,
            centre.into(),
            [
                about[(0, 0)],
                about[(0, 1)],
                about[(0, 2)],
                bar,
                about[(1, 2)],
                bar,
            ],
        );
    }
    for (link, mass, centre, inertia) in DISTAL {
        psm.links[link].inertia = Inertia::about_centre(mass, centre, inertia);
    }
    let mut rows = DRIVES;
    for drive in WRIST_MOTORS {
        rows[drive][3] = WRIST_MOTOR_INERTIA;
    }
    psm.drives = drives(&rows);
    psm
}
