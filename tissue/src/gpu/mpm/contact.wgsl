// Contact of particles with tools of finite friction: the law is that of `mpm/contact.rs`.
//
// Particles have given to the grid what they have without tools; here those that touch give what the tool changes. The velocity that is
// kept of a particle stays as it was, for the next one comes from the grid. This runs once in each substep of a world, when it is certain
// that no particle has to be sorted before, so that nothing needs to be undone.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> worlds: array<World>;
@group(0) @binding(2) var<storage, read_write> status: array<Status>;
@group(0) @binding(3) var<storage, read> chunks: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> lists: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> slots: array<u32>;
@group(0) @binding(6) var<storage, read> tags: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read> materials: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read_write> particles: array<vec4<f32>>;
@group(0) @binding(9) var<storage, read_write> momenta: array<atomic<i32>>;
@group(0) @binding(10) var<storage, read> tools: array<Tool>;
// Impulse on each tool of each world: force and torque, three numbers of 64 bits each.
@group(0) @binding(11) var<storage, read_write> impulses: array<atomic<u32>>;

// As in `mpm/contact.rs`.
const STIFFNESS = 2.0;
const MAX_KAPPA = 2.0;
// How far from a block's middle its particles may touch, in cells: they may have left it by one, and reach out by half their size.
const REACH = 6.928203;

var<workgroup> is_on: u32;
// A bit for each tool near the block.
var<workgroup> near_tools: atomic<u32>;
var<workgroup> is_touched: atomic<u32>;
// Bits of the greatest speed that was too much; 0: none was.
var<workgroup> too_much: atomic<u32>;

// The nearest surface, if it is touched.
struct Touch {
    // Which tool; NONE: nothing is touched.
    tool: u32,
    // [m]
    depth: f32,
    normal: vec3<f32>,
}

// Whether a tool may touch particles of a block.
fn is_near(tool: Tool, block: vec3<u32>) -> bool {
    if tool.friction < 0.0 {
        return false;
    }
    let reach = REACH * params.cell_width;
    let center = (vec3<f32>(4u * block) + 2.5 - tool.position) * params.cell_width;
    if tool.reach >= 0.0 && length(center) > tool.reach + reach {
        return false;
    }
    return least_distance(tool, rotate_back(tool.rotation, center)) <= reach;
}

// Seen from a particle that is a cube with such an edge [m]; `nearby`: bits of tools.
fn touch(position: vec3<f32>, edge: f32, nearby: u32) -> Touch {
    var nearest = NONE;
    var found = vec4<f32>(0.0);
    for (var i = 0u; i < MAX_TOOLS; i++) {
        if (nearby & (1u << i)) == 0u {
            continue;
        }
        let arm = (position - posed[i].position) * params.cell_width;
        let seen = surface(posed[i], rotate_back(posed[i].rotation, arm));
        if nearest == NONE || seen.w < found.w {
            nearest = i;
            found = seen;
        }
    }
    let depth = min(0.5 * edge - found.w, edge);
    if nearest == NONE || depth <= 0.0 {
        return Touch(NONE, 0.0, vec3<f32>(0.0));
    }
    return Touch(nearest, depth, rotate(posed[nearest].rotation, found.xyz));
}

// Lets a tool push a particle; gives back bits of the speed that is too much, 0: none is.
fn meet(i: u32, touched: Touch, w: Weights, material: vec4<f32>, edge: f32, scale: f32) -> u32 {
    let slip_row = 6u * params.n_particles + i;
    let kept = particles[slip_row];
    let position = particles[i].xyz;
    let velocity = particles[3u * params.n_particles + i].xyz;
    let mass = material.x;
    let stiffness = material.z + 2.0 * material.w;
    let rate = min(STIFFNESS * stiffness * edge * params.dt / mass, MAX_KAPPA / params.dt);
    let normal = touched.normal;
    // From the particle to where it is touched.
    let out = normal * (-0.5 * edge / params.cell_width);
    let arm = position - posed[touched.tool].position + out;
    let turning = cross(posed[touched.tool].angular, arm * params.cell_width);
    let relative = velocity - posed[touched.tool].linear - turning;
    let away = dot(relative, normal);
    let push = max(rate * touched.depth - away, 0.0);
    let along = relative - normal * away;
    var slip = kept.xyz + along * params.dt;
    slip -= normal * dot(slip, normal);
    var hold = -(along + slip * rate);
    let most = posed[touched.tool].friction * push;
    let held = length(hold);
    if held > most {
        hold *= most / held;
        slip = -hold / rate;
    }
    particles[slip_row] = vec4<f32>(slip, kept.w);

    // dv => Q dx = 4 m dv r => grid, with r from the particle to where it is touched in cells
    let change = normal * push + hold;
    let spread = 4.0 * dot(abs(out), vec3<f32>(1.0));
    let given = greatest(abs(change) * (1.0 + 1.5 * spread));
    // Besides what the particle itself may give; what is not a number is too much.
    if given > bitcast<u32>(0.5 * params.give_limit) {
        return given;
    }
    let momentum = change * (mass * scale);
    let columns = array<vec4<f32>, 3>(
        vec4<f32>(momentum * (4.0 * out.x), 0.0),
        vec4<f32>(momentum * (4.0 * out.y), 0.0),
        vec4<f32>(momentum * (4.0 * out.z), 0.0),
    );
    give_all(vec4<f32>(momentum, 0.0), columns, w);
    return select(max(given, 1u), 0u, push_tool(touched.tool, arm, -momentum));
}

@compute @workgroup_size(128)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.y * groups.x + group.x;
    if index >= lists[2].w {
        return;
    }
    let chunk = chunks[index];
    let world = worlds[chunk.x];
    let substep = stage.first;
    if lane == 0u {
        let stop_at = atomicLoad(&status[chunk.x].stop_at);
        let goes = status[chunk.x].start_at <= substep && substep < stop_at;
        is_on = select(0u, 1u, goes && world.n_tools > 0u);
        atomicStore(&near_tools, 0u);
        atomicStore(&is_touched, 0u);
        atomicStore(&too_much, 0u);
    }
    if workgroupUniformLoad(&is_on) == 0u {
        return;
    }
    let block = unpack(chunk.y);
    if lane < world.n_tools {
        let begun = tools[chunk.x * params.tool_stride + lane];
        let tool = moved_on(begun, f32(substep) * params.dt, params.cell_width);
        posed[lane] = tool;
        if is_near(tool, block) {
            atomicOr(&near_tools, 1u << lane);
        }
    }
    workgroupBarrier();
    if lane == 0u {
        is_on = atomicLoad(&near_tools);
    }
    let nearby = workgroupUniformLoad(&is_on);
    if nearby == 0u {
        return;
    }

    let i = chunk.z + lane;
    var touched = Touch(NONE, 0.0, vec3<f32>(0.0));
    var material = vec4<f32>(0.0);
    var edge = 0.0;
    if i < chunk.w {
        let number = 3u * tags[i].y;
        material = materials[number];
        edge = materials[number + 2u].w;
        touched = touch(particles[i].xyz, edge, nearby);
        if touched.tool != NONE {
            atomicOr(&is_touched, 1u);
        } else {
            let row = 6u * params.n_particles + i;
            let kept = particles[row];
            if any(kept.xyz != vec3<f32>(0.0)) {
                particles[row] = vec4<f32>(0.0, 0.0, 0.0, kept.w);
            }
        }
    }
    workgroupBarrier();
    if lane == 0u {
        is_on = atomicLoad(&is_touched);
    }
    if workgroupUniformLoad(&is_on) == 0u {
        return;
    }
    find_near(lane, chunk.x, block);
    clear_sums(lane);
    clear_pushes(lane, world.n_tools, GROUP);
    workgroupBarrier();

    if touched.tool != NONE {
        let w = weigh(particles[i].xyz, vec3<f32>(4u * block));
        let wrong = meet(i, touched, w, material, edge, world.momentum_scale);
        atomicMax(&too_much, wrong);
    }
    workgroupBarrier();

    flush_sums(lane);
    flush_pushes(lane, chunk.x, world.n_tools, GROUP);
    if lane == 0u {
        let speed = atomicLoad(&too_much);
        if speed != 0u {
            atomicMax(&status[chunk.x].speed, speed);
            atomicOr(&status[chunk.x].flags, FAST);
            // The substep has begun: other groups of the world are in it.
            atomicMin(&status[chunk.x].stop_at, substep + 1u);
        }
    }
}
