//! Regions of interest of a body.

use serde::{Deserialize, Serialize};

/// A region of interest: a part of space, or a range of depths in a body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Roi {
    /// A box.
    Cuboid {
        /// Lower corner in the body's frame [m].
        low: [f64; 3],
        /// Upper corner in the body's frame [m].
        high: [f64; 3],
    },
    /// Everything on one side of a plane.
    HalfSpace {
        /// A point of the plane [m].
        point: [f64; 3],
        /// Normal that points out of the half-space.
        normal: [f64; 3],
    },
    /// A range of depths below the surface.
    Depth {
        /// Least depth [m].
        from: f64,
        /// Greatest depth [m].
        to: f64,
    },
}

impl Roi {
    /// Whether the region contains a point in the body's frame [m] with this depth below the
    /// surface [m].
    pub fn contains(&self, at: [f64; 3], depth: f64) -> bool {
        match self {
            Self::Cuboid { low, high } => (0..3).all(|a| at[a] >= low[a] && at[a] <= high[a]),
            Self::HalfSpace { point, normal } => {
                (0..3).map(|a| (at[a] - point[a]) * normal[a]).sum::<f64>() <= 0.0
            }
            Self::Depth { from, to } => depth >= *from && depth <= *to,
        }
    }
}
