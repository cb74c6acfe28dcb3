//! Parameters for simulation of the PSM: physically feasible bodies with the torques of the identified parameters.
//!
//! Changes to the published parameters ([`identified`]) that do not affect torques:
//! - [`HEAVY`] are the feasible bodies nearest to the published ones with the same base parameters. Links 4 and 5 only translate and yaw about x: their published inertias of 90 and 37 kg m² are replaced by those of bars half a metre long.
//!
//! Changes that affect torques:
//! - Shaft, wrist and jaws have no mass in the fit. Each gets [`DISTAL_MASS`], because a simulator cannot step a body without inertia: 4 mN in total.
//! - The motor inertias of joints 4 to 7 were between -3e-6 and -6e-4 kg m², which is not physical (lags between filtered accelerations and torques can cause it). They become [`WRIST_MOTOR_INERTIA`]: torques change by the difference times the acceleration, 1e-3 N m at 2 rad/s².
//!
//! `cargo run --release -p insonate-dvrk --example physical_parameters` prints [`HEAVY`].

use super::drives;
use super::identified::{DRIVES, identified};
use crate::inertia::Inertia;
use crate::psm::Psm;

/// Link, and `[Lxx, Lxy, Lxz, Lyy, Lyz, Lzz, lx, ly, lz, m]` [kg m², kg m, kg].
#[rustfmt::skip]
const HEAVY: [(usize, [f64; 10]); 8] = [
    (1, [1.3183925393352574, 4.465177281961489e-5, 0.0, 1.3192811849526285, 0.0, 0.0009286273732591441, 0.07350088759919, -0.0036851845478410032, 0.0, 6.066782313269466]),
    (2, [0.07692728121985472, -0.01567657955289801, 0.006915119353188055, 0.03160596130879728, -0.003953384234547522, 0.06033889324521667, -0.19514302177424453, -0.7218698922074889, -0.11085669118461682, 10.000144077381991]),
    (4, [0.002111480437384148, -0.010389346257723168, -0.009033336451660738, 0.15326524763029092, -0.0010279312319097093, 0.15355360881492588, 0.5180608077266854, 0.0591316875783, 0.05141998549487182, 2.956732710782068]),
    (5, [0.0008991355820824885, 0.004287344032138242, -0.004286015378909936, 0.052982996938551886, 0.0004318161051108894, 0.05298324449504705, 0.14286670237857943, -0.014394156418399999, 0.014389915794217034, 0.4796582893627106]),
    (6, [0.00036290505047240345, 2.051957519896781e-5, 3.5127224545547654e-5, 0.00016780469845877288, 0.00013466380025215535, 0.0003193496037343894, 2.7327863012612128e-6, 0.0049982707172146635, -0.0029284734343075435, 0.10000452565533831]),
    (7, [0.010027203634968914, -0.0031690551639444557, 0.0004204893093811796, 0.0013202707519889484, 0.001411378408321818, 0.010907813640479715, -0.02278434068291862, -0.06999927880195328, 0.009997485216426369, 0.5000232909120216]),
    (8, [0.0037661471647819507, -0.00017986628529330546, -0.0007015206267445488, 0.0038082795535358312, -0.0007102953890142275, 0.00037167019687166816, -0.007256327575227387, -0.007255107317520084, -0.0361215073844762, 0.3630268]),
    (9, [0.0036099114371429706, 0.0002029995890842877, 0.0009266809637614115, 0.0037698635781729358, -0.0006541294002509361, 0.00043797733626746584, 0.009104309978437381, -0.006455728040540085, -0.03481389371738385, 0.3499395]),
];

/// Rotor inertia of a wrist motor as seen behind its gear [kg m²], estimated: 5e-8 kg m² for a 13 mm motor times the square of the gear ratio 11.7.
const WRIST_MOTOR_INERTIA: f64 = 7e-6;
/// Drives of motors 4 to 7.
const WRIST_MOTORS: [usize; 4] = [3, 4, 7, 8];

/// Shaft, wrist and both jaws.
const DISTAL: [usize; 4] = [10, 11, 12, 13];
/// Mass of each [kg] and its inertia about every axis [kg m²]. The values are tiny because the fit includes the real mass in the carriage.
const DISTAL_MASS: f64 = 1e-4;
const DISTAL_INERTIA: f64 = 1e-9;

/// The PSM of the da Vinci classic with parameters that a simulator can step.
pub fn classic() -> Psm {
    let mut psm = identified();
    for (link, parameters) in HEAVY {
        psm.links[link].inertia = Inertia::from_parameters(&parameters);
    }
    for link in DISTAL {
        let i = DISTAL_INERTIA;
        psm.links[link].inertia =
            Inertia::about_centre(DISTAL_MASS, [0.0; 3], [i, 0.0, 0.0, i, 0.0, i]);
    }
    let mut rows = DRIVES;
    for drive in WRIST_MOTORS {
        rows[drive][3] = WRIST_MOTOR_INERTIA;
    }
    psm.drives = drives(&rows);
    psm
}
