// From momentum to velocity at the nodes: gravity, tools, walls. One workgroup for the 64 nodes of a block.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> worlds: array<World>;
@group(0) @binding(2) var<storage, read_write> status: array<Status>;
@group(0) @binding(3) var<storage, read> active_nodes: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> lists: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> momenta: array<vec4<i32>>;
@group(0) @binding(6) var<storage, read_write> velocities: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read> tools: array<Tool>;
// Impulse on each tool of each world: force and torque, three numbers of 64 bits each.
@group(0) @binding(8) var<storage, read_write> impulses: array<atomic<u32>>;

const WALL_NODES = 3u;

var<workgroup> is_active: u32;

fn wall_at(axis: u32, is_high: bool) -> u32 {
    return (params.walls >> (4u * axis + select(0u, 2u, is_high))) & 3u;
}

fn apply_walls(velocity: vec3<f32>, at: vec3<u32>) -> vec3<f32> {
    var result = velocity;
    for (var axis = 0u; axis < 3u; axis++) {
        let is_low = at[axis] < WALL_NODES;
        let is_high = at[axis] >= params.n_blocks[axis] * 4u - WALL_NODES;
        if !is_low && !is_high {
            continue;
        }
        let wall = wall_at(axis, !is_low);
        let outward = select(1.0, -1.0, is_low);
        if wall == 0u {
            result = vec3<f32>(0.0);
        } else if wall == 1u || result[axis] * outward > 0.0 {
            result[axis] = 0.0;
        }
    }
    return result;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.y * groups.x + group.x;
    if index >= lists[1].w {
        return;
    }
    let entry = active_nodes[index];
    let world_index = entry.x / params.quota;
    let world = worlds[world_index];
    let substep = stage.first;
    if lane == 0u {
        let stop_at = atomicLoad(&status[world_index].stop_at);
        is_active = select(0u, 1u, status[world_index].start_at <= substep && substep < stop_at);
    }
    if workgroupUniformLoad(&is_active) == 0u {
        return;
    }
    if lane < world.n_tools {
        let tool = tools[world_index * params.tool_stride + lane];
        posed[lane] = moved_on(tool, f32(substep) * world.dt, params.cell_width);
    }
    clear_impulses(lane, world.n_tools, 64u);
    workgroupBarrier();

    let node = entry.x * 64u + lane;
    let high = momenta[2u * node];
    let low = momenta[2u * node + 1u];
    momenta[2u * node] = vec4<i32>(0);
    momenta[2u * node + 1u] = vec4<i32>(0);
    let mass_steps = bitcast<u32>(high.w);
    var velocity = vec3<f32>(0.0);
    if mass_steps > 0u {
        var is_fast = false;
        let scale = world.mass_scale / world.momentum_scale;
        let momentum = vec3<f32>(high.xyz) * 65536.0 + vec3<f32>(low.xyz);
        velocity = momentum * (scale / f32(mass_steps)) + params.gravity * world.dt;
        let at = 4u * unpack(entry.y) + vec3<u32>(lane / 16u, lane / 4u % 4u, lane % 4u);
        let steps = f32(mass_steps) * (world.momentum_scale / world.mass_scale);
        // The nearest of the tools that push nodes acts on a node.
        var i = world.n_tools;
        var found = vec4<f32>(0.0, 0.0, 0.0, params.contact_distance);
        for (var other = 0u; other < world.n_tools; other++) {
            let tool = posed[other];
            // Other tools push particles.
            if tool.friction >= 0.0 && params.pushes_nodes == 0u {
                continue;
            }
            let arm = (vec3<f32>(at) - tool.position) * params.cell_width;
            if tool.reach < 0.0 || length(arm) <= tool.reach + params.contact_distance {
                let candidate = surface(tool, rotate_back(tool.rotation, arm));
                if candidate.w < found.w {
                    found = candidate;
                    i = other;
                }
            }
        }
        if i < world.n_tools {
            let tool = posed[i];
            let arm_cells = vec3<f32>(at) - tool.position;
            let arm = arm_cells * params.cell_width;
            let normal = rotate(tool.rotation, found.xyz);
            let tool_velocity = tool.linear + cross(tool.angular, arm);
            let relative = velocity - tool_velocity;
            let v_n = dot(relative, normal);
            var after = tool_velocity;
            if tool.friction >= 0.0 && v_n >= 0.0 {
                after = velocity;
            } else if tool.friction >= 0.0 {
                let v_t = relative - normal * v_n;
                let friction_scale = 1.0 + tool.friction * v_n / max(length(v_t), 1e-12);
                after = tool_velocity + v_t * max(friction_scale, 0.0);
            }
            let taken = (velocity - after) * steps;
            velocity = after;
            is_fast = !add_impulse(i, arm_cells, taken);
        }
        velocity = apply_walls(velocity, at);
        var flags = select(0u, DENSE, mass_steps > world.most_mass);
        if is_fast {
            flags |= FAST;
            let speeds = bitcast<vec3<u32>>(velocity) & vec3<u32>(0x7fffffffu);
            atomicMax(&status[world_index].speed, max(speeds.x, max(speeds.y, speeds.z)));
        }
        if flags != 0u {
            atomicOr(&status[world_index].flags, flags);
            atomicMin(&status[world_index].stop_at, substep + 1u);
        }
    }
    velocities[node] = vec4<f32>(velocity, 0.0);

    workgroupBarrier();
    flush_impulses(lane, world_index, world.n_tools, 64u);
}
