//! Tools in the memory layout of the kernels.

use super::fields::Fields;
use crate::TissueError;
use crate::tool::{Shape, Tool};

/// Maximum number of tools in a world.
pub const MAX_TOOLS: usize = 8;
/// Words of a tool.
pub(super) const TOOL_WORDS: usize = 20;
/// Words of the impulse on a tool: force and torque, three numbers of 64 bits each.
pub(super) const IMPULSE_WORDS: usize = 12;

/// Checks the tools of a world and their number.
pub(super) fn check(tools: &[Tool]) -> Result<(), TissueError> {
    if tools.len() > MAX_TOOLS {
        return Err(TissueError::setting(
            "tools",
            tools.len(),
            format!("at most {MAX_TOOLS} in a world"),
        ));
    }
    tools.iter().try_for_each(Tool::check)
}

/// Words of a tool: see `tool.wgsl`. Its position is relative to an origin, in units of a length [m]. If its shape is a
/// field, the field must be on the GPU.
pub(super) fn words(
    tool: &Tool,
    origin: [f64; 3],
    unit: f64,
    fields: &Fields,
) -> [u32; TOOL_WORDS] {
    let mut number = 0;
    let (kind, sizes) = match &tool.shape {
        Shape::Sphere { radius } => (0, [*radius, 0.0, 0.0]),
        Shape::Cuboid { half } => (1, *half),
        Shape::Capsule {
            radius,
            half_length,
        } => (2, [*radius, *half_length, 0.0]),
        Shape::Cylinder {
            radius,
            half_length,
        } => (3, [*radius, *half_length, 0.0]),
        Shape::HalfSpace => (4, [0.0; 3]),
        Shape::Field(field) => {
            number = fields.index(field);
            (5, [0.0; 3])
        }
    };
    let reach = tool.shape.reach();
    let reach = if reach.is_finite() { reach } else { -1.0 };
    let friction = if tool.friction.is_finite() {
        tool.friction
    } else {
        -1.0
    };
    let place = (0..3).map(|i| (tool.position[i] - origin[i]) / unit);
    let mut words = [0; TOOL_WORDS];
    let mut put = |at: usize, number: f64| words[at] = (number as f32).to_bits();
    for (i, place) in place.enumerate() {
        put(i, place);
        put(8 + i, tool.linear[i]);
        put(12 + i, tool.angular[i]);
        put(16 + i, sizes[i]);
    }
    for i in 0..4 {
        put(4 + i, tool.rotation.coords[i]);
    }
    put(11, friction);
    put(15, reach);
    words[3] = kind;
    words[19] = number;
    words
}

/// A 64-bit fixed-point sum in two words.
pub(super) fn sum(words: &[u32]) -> f64 {
    let bits = u64::from(words[0]) | u64::from(words[1]) << 32;
    bits.cast_signed() as f64
}
