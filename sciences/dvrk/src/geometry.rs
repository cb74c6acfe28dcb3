//! Lengths of the PSM and its frames in modified Denavit-Hartenberg form (Craig 1989).
//!
//! Source: Wang, Gondokaryono, Munawar, Fischer 2019, "A convex optimization-based dynamic model identification package for the da Vinci Research Kit", Fig. 2 and Table I, and the accompanying robot definition (DOI 10.1109/LRA.2019.2927947).
//! Links 4 to 7 form the two parallelograms: their angles are ±pitch, which closes both chains exactly.

use std::f64::consts::{FRAC_PI_2, PI};

use crate::inertia::Inertia;
use crate::joints::N_LINKS;
use crate::link::{Link, Motion};

/// Lengths of a PSM with its instrument [m], named as in Wang et al. 2019.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Geometry {
    /// Remote centre to the zero of insertion.
    pub l_rcc: f64,
    /// Distance along the parallelogram to the second vertical bar.
    pub l_2l1: f64,
    /// Distance along the parallelogram from the pitch axis to the insertion's carriage, which is the distance between base and remote centre.
    pub l_2l2: f64,
    /// Offset of the parallelogram from the pitch axis.
    pub l_2l3: f64,
    /// Height of the lower bar.
    pub l_2h1: f64,
    /// Height of the upper bar above the lower bar.
    pub l_2h2: f64,
    /// Offset of the insertion axis from the carriage's joint.
    pub l_3: f64,
    /// Zero of the insertion to the wrist's pitch axis.
    pub l_tool: f64,
    /// Wrist's pitch axis to its yaw axis.
    pub l_p2y: f64,
    /// Wrist's yaw axis to the tool point between the jaws.
    pub l_clip: f64,
}

impl Geometry {
    /// The PSM of the da Vinci classic with the large needle driver (Wang et al. 2019).
    pub const fn classic() -> Self {
        Self {
            l_rcc: 0.4318,
            l_2l1: 0.096,
            l_2l2: 0.516,
            l_2l3: 0.04009,
            l_2h1: 0.14454,
            l_2h2: 0.03808,
            l_3: 0.04009,
            l_tool: 0.4162,
            l_p2y: 0.0091,
            l_clip: 0.0091,
        }
    }

    /// The links without inertia; indices are Wang's frame numbers, and 0 is the base.
    pub fn links(&self) -> [Link; N_LINKS] {
        use Motion::{Fixed, Prismatic, Revolute};
        let right = FRAC_PI_2;
        let upper = self.l_2h1 + self.l_2h2;
        let turn = |joint| Revolute { joint, sign: 1.0 };
        let against_pitch = Revolute {
            joint: 1,
            sign: -1.0,
        };
        let insert = Prismatic { joint: 2 };
        let carriage = self.l_2h1 - self.l_rcc;
        [
            link("base", 0, [0.0, 0.0, 0.0, 0.0], Fixed),
            link("yaw", 0, [0.0, right, 0.0, right], turn(0)),
            link("pitch", 1, [0.0, -right, 0.0, -right], turn(1)),
            link("pitch back", 2, [self.l_2l3, 0.0, 0.0, right], Fixed),
            link("lower bar", 3, [self.l_2h1, 0.0, 0.0, right], against_pitch),
            link("upper bar", 3, [upper, 0.0, 0.0, right], against_pitch),
            link("carriage rail", 4, [self.l_2l2, 0.0, 0.0, 0.0], turn(1)),
            link("middle bar", 4, [self.l_2l1, 0.0, 0.0, PI], turn(1)),
            link("insertion", 6, [self.l_3, -right, carriage, 0.0], insert),
            link("counterweight", 2, [self.l_2l3, -right, 0.0, 0.0], insert),
            link("roll", 8, [0.0, 0.0, self.l_tool, 0.0], turn(3)),
            link("wrist pitch", 10, [0.0, right, 0.0, right], turn(4)),
            link("jaw a", 11, [self.l_p2y, -right, 0.0, right], turn(5)),
            link("jaw b", 11, [self.l_p2y, -right, 0.0, right], turn(6)),
        ]
    }
}

/// A link without inertia from a row `[a, alpha, d, theta]`.
fn link(name: &'static str, parent: usize, row: [f64; 4], motion: Motion) -> Link {
    let [a, alpha, d, theta] = row;
    Link {
        name,
        parent,
        a,
        alpha,
        d,
        theta,
        motion,
        inertia: Inertia::ZERO,
    }
}
