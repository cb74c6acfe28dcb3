// One substep of one vertex: the sum of its constraints' corrections, in their order, times its share; tools; velocity; and where it goes
// next.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> masses: array<Mass>;
// Where a point's edges start, and its tetrahedra; those of the next one follow.
@group(0) @binding(2) var<storage, read> starts: array<u32>;
// Twice the number of an edge, and which end; four times that of a tetrahedron, and which corner.
@group(0) @binding(3) var<storage, read> places: array<u32>;
@group(0) @binding(4) var<storage, read> pushes: array<f32>;
@group(0) @binding(5) var<storage, read_write> positions: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> velocities: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> predicted: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read_write> holds: array<vec4<u32>>;
@group(0) @binding(9) var<storage, read_write> status: array<Status>;
@group(0) @binding(10) var<storage, read> n_tools: array<u32>;
@group(0) @binding(11) var<storage, read> tools: array<Tool>;
// Impulse on each tool of each world: force and torque, three numbers of 64 bits each; then that on loose vertices.
@group(0) @binding(12) var<storage, read_write> impulses: array<atomic<u32>>;

fn greatest(numbers: vec3<f32>) -> u32 {
    let bits = bitcast<vec3<u32>>(numbers) & vec3<u32>(0x7fffffffu);
    return max(bits.x, max(bits.y, bits.z));
}

fn read_push(row: u32, world: u32) -> vec3<f32> {
    let n = params.n_worlds;
    let first = 3u * row * n + world;
    return vec3<f32>(pushes[first], pushes[first + n], pushes[first + 2u * n]);
}

// Sum of the corrections of a point [m].
fn corrections(point: u32, world: u32, split: f32) -> vec3<f32> {
    var sum = vec3<f32>(0.0);
    for (var k = starts[2u * point]; k < starts[2u * point + 1u]; k++) {
        let place = places[k];
        let push = read_push(4u * params.n_tets + place / 2u, world);
        sum += push * select(split, -split, (place & 1u) != 0u);
    }
    for (var k = starts[2u * point + 1u]; k < starts[2u * point + 2u]; k++) {
        sum += read_push(places[k], world) * split;
    }
    return sum;
}

// A way out of a tool [m], given the point's arm from its origin, how far the point has come, and its depth.
fn way_out(tool: Tool, arm: vec3<f32>, moved: vec3<f32>, normal: vec3<f32>, depth: f32) -> vec3<f32> {
    let carried = (tool.linear + cross(tool.angular, arm)) * params.dt;
    let push = min(depth, params.push_way + max(dot(carried, normal), 0.0));
    let relative = moved + normal * push - carried;
    let along = relative - normal * dot(relative, normal);
    let far = length(along);
    var way = normal * push;
    if far > 0.0 {
        way -= along * min(tool.friction * push / far, 1.0);
    }
    return way;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.y * groups.x + group.x) * GROUP + lane;
    if i >= params.n_points * params.n_worlds {
        return;
    }
    let point = i / params.n_worlds;
    let world = i % params.n_worlds;
    let substep = stage.first;
    let mass = masses[point];
    if substep >= atomicLoad(&status[world].stop_at) || mass.inverse == 0.0 {
        return;
    }
    let p = predicted[i].xyz;
    let v = velocities[i].xyz + params.kick;
    var q = p + corrections(point, world, mass.split) * mass.share;
    var hold = holds[i];
    if hold.w == LOOSE {
        // It stays, and what stops it is counted.
        let velocity = (v + (q - p) * params.rate) * params.kept;
        let push = velocity * (-params.impulse_scale * mass.mass);
        add_impulse(impulse_slot(world, params.tool_stride), push, vec3<f32>(0.0));
        return;
    }

    // p => out of tools, or along with one; momentum to them
    var is_fast = false;
    let per_way = params.impulse_scale * mass.mass * params.rate;
    for (var k = 0u; k < n_tools[world]; k++) {
        let tool = moved_on(tools[world * params.tool_stride + k], f32(substep + 1u) * params.dt, 1.0);
        let before = q;
        let arm = q - tool.position;
        let is_near = tool.reach < 0.0 || dot(arm, arm) <= tool.reach * tool.reach;
        if hold.w == FREE && is_near {
            let found = surface(tool, rotate_back(tool.rotation, arm));
            if found.w < 0.0 {
                let normal = rotate(tool.rotation, found.xyz);
                if tool.friction < 0.0 {
                    let at = rotate_back(tool.rotation, arm - normal * found.w);
                    hold = vec4<u32>(bitcast<vec3<u32>>(at), HELD + k + STICKS);
                    holds[i] = hold;
                } else {
                    let moved = (q - p) + v * params.dt;
                    q += way_out(tool, arm, moved, normal, -found.w);
                }
            }
        }
        if holder(hold.w) == k {
            q = tool.position + rotate(tool.rotation, bitcast<vec3<f32>>(hold.xyz));
        }
        if any(q != before) {
            let push = (before - q) * per_way;
            let fits = add_impulse(impulse_slot(world, k), push, cross(q - tool.position, push));
            is_fast |= !fits;
        }
    }

    // p => v, x
    let velocity = (v + (q - p) * params.rate) * params.kept;
    positions[i] = vec4<f32>(q, 0.0);
    velocities[i] = vec4<f32>(velocity, 0.0);
    predicted[i] = vec4<f32>(q + params.dt * (velocity + params.kick), 0.0);
    let speed = greatest(velocity);
    if is_fast || speed > bitcast<u32>(params.max_speed) {
        atomicMax(&status[world].speed, max(speed, 1u));
        atomicMin(&status[world].stop_at, substep + 1u);
    }
}
