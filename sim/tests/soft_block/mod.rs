//! A soft block below a rigid tool: the problem that solvers are compared in.
//!
//! A block of 120 × 120 × 60 mm is fixed at its lower face. A tool touches the middle of its upper face, is pressed into it, and may then be
//! dragged along x. All motions are slow, and forces are read at rest.

pub(crate) mod contestants;
pub(crate) mod flex;
pub(crate) mod motion;
pub(crate) mod reference;

/// Half of the width of the block [m].
pub(crate) const HALF_WIDTH: f64 = 0.06;
/// Height of the block [m].
pub(crate) const HEIGHT: f64 = 0.06;
/// Poisson's ratio.
pub(crate) const POISSON: f64 = 0.4;
/// Young's modulus of the uniform block [Pa].
pub(crate) const YOUNG: f64 = 30e3;
/// Young's moduli of the layered block, above and below [Pa].
pub(crate) const LAYERS: [f64; 2] = [15e3, 45e3];
/// Height of the interface of the layers [m].
pub(crate) const INTERFACE: f64 = 0.04;

/// A rigid tool whose lowest point is its origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Tool {
    /// A cylinder with a vertical axis.
    Punch {
        /// Radius [m].
        radius: f64,
    },
    /// A ball.
    Ball {
        /// Radius [m].
        radius: f64,
    },
}

/// A press, with or without a drag.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case {
    /// Name in the results.
    pub(crate) name: &'static str,
    pub(crate) tool: Tool,
    /// Depth of the tool's lowest point below the upper face [m].
    pub(crate) depth: f64,
    /// Whether the block has layers.
    pub(crate) layered: bool,
    /// Friction coefficient between tool and block.
    pub(crate) friction: f64,
    /// Displacements along x at which the tangential force is read, one after another [m].
    pub(crate) drags: &'static [f64],
}

impl Case {
    /// Young's modulus at a height [m] of the block [Pa].
    pub(crate) fn young_modulus(&self, height: f64) -> f64 {
        match (self.layered, height > INTERFACE) {
            (false, _) => YOUNG,
            (true, true) => LAYERS[0],
            (true, false) => LAYERS[1],
        }
    }
}

const BALL: Tool = Tool::Ball { radius: 0.04 };

/// The cases.
pub(crate) const CASES: [Case; 4] = [
    Case {
        name: "punch",
        tool: Tool::Punch { radius: 0.024 },
        depth: 0.002,
        layered: false,
        friction: 0.0,
        drags: &[],
    },
    Case {
        name: "ball",
        tool: BALL,
        depth: 0.004,
        layered: false,
        friction: 0.0,
        drags: &[],
    },
    Case {
        name: "layers",
        tool: BALL,
        depth: 0.004,
        layered: true,
        friction: 0.0,
        drags: &[],
    },
    Case {
        name: "drag",
        tool: BALL,
        depth: 0.004,
        layered: false,
        friction: 0.5,
        drags: &[0.001, 0.006],
    },
];
