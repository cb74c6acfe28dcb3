// One substep of one vertex: corrections of all its constraints from the same positions, averaged; tools; velocity; and where it goes next.
//
// Each vertex computes its constraints itself, so nothing is added up across threads: an edge is computed twice, a tetrahedron four times.

@group(0) @binding(0) var<uniform> params: Params;
// Position at rest and inverse mass.
@group(0) @binding(1) var<storage, read> vertices: array<vec4<f32>>;
// Where a vertex's edges and tetrahedra start; those of the next one follow.
@group(0) @binding(2) var<storage, read> starts: array<vec2<u32>>;
// The other end, and the length at rest.
@group(0) @binding(3) var<storage, read> edges: array<vec2<u32>>;
// The other three corners, turned so that the volume is positive, and the volume at rest.
@group(0) @binding(4) var<storage, read> tets: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> predicted: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> next: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> positions: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read_write> velocities: array<vec4<f32>>;
@group(0) @binding(9) var<storage, read_write> status: array<Status>;
@group(0) @binding(10) var<storage, read> n_tools: array<u32>;
@group(0) @binding(11) var<storage, read> tools: array<Tool>;
// Impulse on each tool of each world: force and torque, three numbers of 64 bits each.
@group(0) @binding(12) var<storage, read_write> impulses: array<atomic<u32>>;

// Adds a number of steps to one of 64 bits. False: it is beyond what 48 bits hold.
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

fn greatest(numbers: vec3<f32>) -> u32 {
    let bits = bitcast<vec3<u32>>(numbers) & vec3<u32>(0x7fffffffu);
    return max(bits.x, max(bits.y, bits.z));
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.y * groups.x + group.x) * GROUP + lane;
    let n = params.n_worlds;
    if i >= params.n_vertices * n {
        return;
    }
    let vertex = i / n;
    let world = i % n;
    let substep = stage.first;
    if substep >= atomicLoad(&status[world].stop_at) {
        return;
    }
    let own = vertices[vertex].w;
    let p = predicted[i].xyz;
    let x = positions[i].xyz;
    if own == 0.0 {
        next[i] = vec4<f32>(p, 0.0);
        return;
    }

    // x => p, corrected by each constraint with its compliance
    var sum = vec3<f32>(0.0);
    let first = starts[vertex];
    let last = starts[vertex + 1u];
    for (var k = first.x; k < last.x; k++) {
        let edge = edges[k];
        let way = predicted[edge.x * n + world].xyz - p;
        let far = sqrt(dot(way, way) + 1e-24);
        let stretch = far - bitcast<f32>(edge.y);
        let all = max(own + vertices[edge.x].w + params.distance_compliance, 1e-12);
        sum += way * (own * stretch / (all * far));
    }
    for (var k = first.y; k < last.y; k++) {
        let tet = tets[k];
        let a = predicted[tet.x * n + world].xyz - p;
        let b = predicted[tet.y * n + world].xyz - p;
        let c = predicted[tet.z * n + world].xyz - p;
        let grad_a = cross(b, c) / 6.0;
        let grad_b = cross(c, a) / 6.0;
        let grad_c = cross(a, b) / 6.0;
        let grad = -grad_a - grad_b - grad_c;
        let over = dot(a, grad_a) - bitcast<f32>(tet.w);
        let all = own * dot(grad, grad)
            + vertices[tet.x].w * dot(grad_a, grad_a)
            + vertices[tet.y].w * dot(grad_b, grad_b)
            + vertices[tet.z].w * dot(grad_c, grad_c);
        sum -= grad * (own * over / max(all + params.volume_compliance, 1e-20));
    }
    let n_constraints = f32(last.x - first.x + last.y - first.y);
    var q = p + sum * (bitcast<f32>(stage.second) / n_constraints);

    // p => out of tools, momentum to them
    var is_fast = false;
    for (var k = 0u; k < n_tools[world]; k++) {
        let slot = world * params.tool_stride + k;
        let begun = tools[slot];
        let tool = moved_on(begun, f32(substep + 1u) * params.dt, 1.0);
        let arm = q - tool.position;
        if tool.reach >= 0.0 && dot(arm, arm) > tool.reach * tool.reach {
            continue;
        }
        let found = surface(tool, rotate_back(tool.rotation, arm));
        if found.w >= 0.0 {
            continue;
        }
        let normal = rotate(tool.rotation, found.xyz);
        let depth = -found.w;
        var way = normal * depth;
        let carried = (tool.linear + cross(tool.angular, arm)) * params.dt;
        let relative = q - x - carried;
        let along = relative - normal * dot(relative, normal);
        if tool.friction < 0.0 {
            way -= along;
        } else {
            way -= along * min(1.0, tool.friction * depth / max(length(along), 1e-12));
        }
        q += way;
        let push = way * (-params.impulse_scale / (own * params.dt));
        let turn = cross(q - tool.position, push);
        for (var axis = 0u; axis < 3u; axis++) {
            let fits = add_to_sum(6u * slot + axis, push[axis]);
            let turn_fits = add_to_sum(6u * slot + 3u + axis, turn[axis]);
            is_fast |= !fits || !turn_fits;
        }
    }

    // p => v, x
    let velocity = (q - x) * params.kept_rate;
    positions[i] = vec4<f32>(q, 0.0);
    velocities[i] = vec4<f32>(velocity, 0.0);
    next[i] = vec4<f32>(q + params.dt * (velocity + params.kick), 0.0);
    let speed = greatest(velocity);
    if is_fast || speed > bitcast<u32>(params.max_speed) {
        atomicMax(&status[world].speed, max(speed, 1u));
        atomicMin(&status[world].stop_at, substep + 1u);
    }
}
