// Impulses on the tools of a world, summed in shared memory as whole numbers of steps of 64 bits, in whatever order with the same end.

const MAX_TOOLS = 8u;
// Impulses are summed in larger steps than momenta, those that turn in larger ones still.
const PUSH_STEP = 16.0;
const TURN_STEP = 16384.0;

// Tools as they stand in this substep.
var<workgroup> posed: array<Tool, MAX_TOOLS>;
// Force and torque of each tool, three numbers each.
var<workgroup> pushes: array<atomic<u32>, 96>;

fn clear_pushes(lane: u32, n_tools: u32, n_lanes: u32) {
    for (var i = lane; i < 12u * n_tools; i += n_lanes) {
        atomicStore(&pushes[i], 0u);
    }
}

// Adds a number of steps to one of 64 bits. False: it is beyond what 48 bits hold.
fn add_to_sum(index: u32, value: f32) -> bool {
    let rounded = round(value);
    let high_part = floor(rounded / 65536.0);
    // Also false for what is not a number.
    if !(abs(high_part) < 2147483648.0) {
        return false;
    }
    let high = i32(high_part);
    let above = bitcast<u32>(high) << 16u;
    let low = above + u32(rounded - high_part * 65536.0);
    let old = atomicAdd(&pushes[2u * index], low);
    let carry = select(0u, 1u, low < above) + select(0u, 1u, old + low < old);
    atomicAdd(&pushes[2u * index + 1u], bitcast<u32>(high >> 16u) + carry);
    return true;
}

// Pushes a tool by a momentum in steps, at an arm in cells. False: it is too much.
fn push_tool(tool: u32, arm: vec3<f32>, momentum: vec3<f32>) -> bool {
    let turned = cross(arm, momentum);
    var all_fit = true;
    for (var axis = 0u; axis < 3u; axis++) {
        let fits = add_to_sum(6u * tool + axis, momentum[axis] / PUSH_STEP);
        let turn_fits = add_to_sum(6u * tool + 3u + axis, turned[axis] / TURN_STEP);
        all_fit = all_fit && fits && turn_fits;
    }
    return all_fit;
}

// Adds the sums to those of the whole step.
fn flush_pushes(lane: u32, world: u32, n_tools: u32, n_lanes: u32) {
    for (var i = lane; i < 6u * n_tools; i += n_lanes) {
        let low = atomicLoad(&pushes[2u * i]);
        let high = atomicLoad(&pushes[2u * i + 1u]);
        if (low | high) == 0u {
            continue;
        }
        let to = 2u * (world * params.tool_stride * 6u + i);
        let old = atomicAdd(&impulses[to], low);
        atomicAdd(&impulses[to + 1u], high + select(0u, 1u, old + low < old));
    }
}
