// Impulses on the tools of a world, summed in shared memory as 64-bit fixed-point numbers, so their order does not
// matter.

const MAX_TOOLS = 8u;
// Units of momentum in a unit of impulse, and of angular impulse.
const FORCE_UNIT = 16.0;
const TORQUE_UNIT = 16384.0;

// Tools at their poses in this substep.
var<workgroup> posed: array<Tool, MAX_TOOLS>;
// Force and torque of each tool, three numbers each.
var<workgroup> tool_impulses: array<atomic<u32>, 96>;

fn clear_impulses(lane: u32, n_tools: u32, n_lanes: u32) {
    for (var i = lane; i < 12u * n_tools; i += n_lanes) {
        atomicStore(&tool_impulses[i], 0u);
    }
}

// Adds to a 64-bit sum. False if the value needs more than 48 bits.
fn add_to_sum(index: u32, value: f32) -> bool {
    let rounded = round(value);
    let high_part = floor(rounded / 65536.0);
    // Also false for NaN.
    if !(abs(high_part) < 2147483648.0) {
        return false;
    }
    let high = i32(high_part);
    let above = bitcast<u32>(high) << 16u;
    let low = above + u32(rounded - high_part * 65536.0);
    let old = atomicAdd(&tool_impulses[2u * index], low);
    let carry = select(0u, 1u, low < above) + select(0u, 1u, old + low < old);
    atomicAdd(&tool_impulses[2u * index + 1u], bitcast<u32>(high >> 16u) + carry);
    return true;
}

// Adds a momentum [units] at an arm [cells]. False: out of range.
fn add_impulse(tool: u32, arm: vec3<f32>, momentum: vec3<f32>) -> bool {
    let angular = cross(arm, momentum);
    var all_fit = true;
    for (var axis = 0u; axis < 3u; axis++) {
        let fits = add_to_sum(6u * tool + axis, momentum[axis] / FORCE_UNIT);
        let angular_fits = add_to_sum(6u * tool + 3u + axis, angular[axis] / TORQUE_UNIT);
        all_fit = all_fit && fits && angular_fits;
    }
    return all_fit;
}

// Adds the sums to those of the whole step.
fn flush_impulses(lane: u32, world: u32, n_tools: u32, n_lanes: u32) {
    for (var i = lane; i < 6u * n_tools; i += n_lanes) {
        let low = atomicLoad(&tool_impulses[2u * i]);
        let high = atomicLoad(&tool_impulses[2u * i + 1u]);
        if (low | high) == 0u {
            continue;
        }
        let to = 2u * (world * params.tool_stride * 6u + i);
        let old = atomicAdd(&impulses[to], low);
        atomicAdd(&impulses[to + 1u], high + select(0u, 1u, old + low < old));
    }
}
