// Integer sums of impulses, which do not depend on the order of threads. The source before binds them.

// Adds a number of steps to a 64-bit sum. False if it needs more than 48 bits.
fn add_to_sum(index: u32, value: f32) -> bool {
    let rounded = round(value);
    let high_part = floor(rounded / 65536.0);
    if !(abs(high_part) < 2147483648.0) {
        return false;
    }
    let high = i32(high_part);
    let above = bitcast<u32>(high) << 16u;
    let low = above + u32(rounded - high_part * 65536.0);
    let old = atomicAdd(&impulses[2u * index], low);
    let carry = select(0u, 1u, low < above) + select(0u, 1u, old + low < old);
    atomicAdd(&impulses[2u * index + 1u], bitcast<u32>(high >> 16u) + carry);
    return true;
}

// Adds an impulse and its moment, in steps, to a slot.
fn add_impulse(slot: u32, linear: vec3<f32>, angular: vec3<f32>) -> bool {
    var fits = true;
    for (var axis = 0u; axis < 3u; axis++) {
        let linear_fits = add_to_sum(6u * slot + axis, linear[axis]);
        let angular_fits = add_to_sum(6u * slot + 3u + axis, angular[axis]);
        fits = fits && linear_fits && angular_fits;
    }
    return fits;
}

// Slot of a world's tool. The slot after the last one is for detached vertices.
fn impulse_slot(world: u32, tool: u32) -> u32 {
    return world * (params.tool_stride + 1u) + tool;
}
