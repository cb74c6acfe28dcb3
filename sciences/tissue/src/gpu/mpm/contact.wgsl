// Contact of particles with tools of finite friction, with the law of `mpm/contact.rs`.
//
// The grid has the momenta of particles without contact; here particles in contact add their change. Their stored
// velocity is unchanged, because the next one comes from the grid. This runs once in each substep of a world, after it
// is known that no particle needs a sort, so nothing needs to be undone.

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
// Distance from a block's centre within which its particles may touch, in cells: they may be a cell outside the block,
// and extend by half their size.
const REACH = 6.928203;

var<workgroup> is_active: u32;
// One bit for each tool near the block.
var<workgroup> near_tools: atomic<u32>;
var<workgroup> has_contact: atomic<u32>;
// Bits of the greatest displacement along an axis from the positions of weights, in cells.
var<workgroup> displaced: atomic<u32>;
// Bits of the greatest speed above the limit; 0 if there is no such speed.
var<workgroup> excess_speed: atomic<u32>;

// The nearest surface in contact.
struct ContactPoint {
    // Index of the tool; NONE without contact.
    tool: u32,
    // Penetration depth [m].
    depth: f32,
    normal: vec3<f32>,
}

// Whether a tool may touch particles of a block that are displaced by at most some cells along each axis.
fn is_near(tool: Tool, block: vec3<u32>, displaced_by: f32) -> bool {
    if tool.friction < 0.0 {
        return false;
    }
    let reach = (REACH + sqrt(3.0) * displaced_by) * params.cell_width;
    let center = (vec3<f32>(4u * block) + 2.5 - tool.position) * params.cell_width;
    if tool.reach >= 0.0 && length(center) > tool.reach + reach {
        return false;
    }
    return least_distance(tool, rotate_back(tool.rotation, center)) <= reach;
}

// Contact of a particle that is a cube with a given edge [m]; `nearby` are bits of tools.
fn find_contact(position: vec3<f32>, h: f32, nearby: u32) -> ContactPoint {
    var nearest = NONE;
    var found = vec4<f32>(0.0);
    for (var i = 0u; i < MAX_TOOLS; i++) {
        if (nearby & (1u << i)) == 0u {
            continue;
        }
        let arm = (position - posed[i].position) * params.cell_width;
        let candidate = surface(posed[i], rotate_back(posed[i].rotation, arm));
        if nearest == NONE || candidate.w < found.w {
            nearest = i;
            found = candidate;
        }
    }
    let depth = min(0.5 * h - found.w, h);
    if nearest == NONE || depth <= 0.0 {
        return ContactPoint(NONE, 0.0, vec3<f32>(0.0));
    }
    return ContactPoint(nearest, depth, rotate(posed[nearest].rotation, found.xyz));
}

// Direction of a particle's touched face where weights are taken: with weights at rest that of F^T n.
fn normal_at_weights(i: u32, normal: vec3<f32>) -> vec3<f32> {
    if !TOTAL {
        return normal;
    }
    let a = particles[i];
    let b = particles[params.n_particles + i];
    let c = particles[2u * params.n_particles + i];
    return normalize(normal.x * b.xyz + normal.y * vec3<f32>(b.w, c.xy) + normal.z * vec3<f32>(c.zw, a.w));
}

// Applies contact to a particle; returns the bits of a speed above the limit, or 0.
fn apply_contact(i: u32, contact: ContactPoint, w: Weights, material: vec4<f32>, h: f32, world: World) -> u32 {
    let slip_row = 6u * params.n_particles + i;
    let slip_damage = particles[slip_row];
    let position = particles[i].xyz + displacement(i);
    let velocity = particles[3u * params.n_particles + i].xyz;
    let mass = material.x;
    let dt = world.dt;
    let stiffness = world.modulus * (material.z + 2.0 * material.w);
    let kappa_per_dt = min(STIFFNESS * stiffness * h * dt / mass, MAX_KAPPA / dt);
    let normal = contact.normal;
    // From the particle to the touched face.
    let r = normal * (-0.5 * h / params.cell_width);
    let arm = position - posed[contact.tool].position + r;
    let turning = cross(posed[contact.tool].angular, arm * params.cell_width);
    let relative = velocity - posed[contact.tool].linear - turning;
    let v_n = dot(relative, normal);
    let dv_n = max(kappa_per_dt * contact.depth - v_n, 0.0);
    let v_t = relative - normal * v_n;
    var slip = slip_damage.xyz + v_t * dt;
    slip -= normal * dot(slip, normal);
    var dv_t = -(v_t + slip * kappa_per_dt);
    let max_dv_t = posed[contact.tool].friction * dv_n;
    let dv_t_norm = length(dv_t);
    if dv_t_norm > max_dv_t {
        dv_t *= max_dv_t / dv_t_norm;
        slip = -dv_t / kappa_per_dt;
    }
    particles[slip_row] = vec4<f32>(slip, slip_damage.w);

    // dv => Q dx = 4 m dv r => grid, with r from the particle to the touched face where weights are taken, in cells
    let dv = normal * dv_n + dv_t;
    let to_face = normal_at_weights(i, normal) * (-0.5 * h / params.cell_width);
    let spread = 4.0 * dot(abs(to_face), vec3<f32>(1.0));
    let added_speed = max_abs_bits(abs(dv) * (1.0 + 1.5 * spread));
    // In addition to the limit of the particle itself; NaN is above it.
    if added_speed > bitcast<u32>(0.5 * p2g_limit(dt)) {
        return added_speed;
    }
    let momentum = dv * (mass * world.momentum_scale);
    let columns = array<vec4<f32>, 3>(
        vec4<f32>(momentum * (4.0 * to_face.x), 0.0),
        vec4<f32>(momentum * (4.0 * to_face.y), 0.0),
        vec4<f32>(momentum * (4.0 * to_face.z), 0.0),
    );
    p2g_affine(vec4<f32>(momentum, 0.0), columns, w);
    return select(max(added_speed, 1u), 0u, add_impulse(contact.tool, arm, -momentum));
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
        let runs = status[chunk.x].start_at <= substep && substep < stop_at;
        is_active = select(0u, 1u, runs && world.n_tools > 0u);
        atomicStore(&near_tools, 0u);
        atomicStore(&has_contact, 0u);
        atomicStore(&displaced, 0u);
        atomicStore(&excess_speed, 0u);
    }
    if workgroupUniformLoad(&is_active) == 0u {
        return;
    }
    let block = unpack(chunk.y);
    let i = chunk.z + lane;
    if TOTAL {
        if i < chunk.w {
            atomicMax(&displaced, max_abs_bits(displacement(i)));
        }
        workgroupBarrier();
    }
    if lane < world.n_tools {
        let tool_at_start = tools[chunk.x * params.tool_stride + lane];
        let tool = moved_on(tool_at_start, f32(substep) * world.dt, params.cell_width);
        posed[lane] = tool;
        if is_near(tool, block, bitcast<f32>(atomicLoad(&displaced))) {
            atomicOr(&near_tools, 1u << lane);
        }
    }
    workgroupBarrier();
    if lane == 0u {
        is_active = atomicLoad(&near_tools);
    }
    let nearby = workgroupUniformLoad(&is_active);
    if nearby == 0u {
        return;
    }

    var contact = ContactPoint(NONE, 0.0, vec3<f32>(0.0));
    var material = vec4<f32>(0.0);
    var h = 0.0;
    if i < chunk.w {
        let number = 3u * tags[i].y;
        material = materials[number];
        h = materials[number + 2u].w;
        contact = find_contact(particles[i].xyz + displacement(i), h, nearby);
        if contact.tool != NONE {
            atomicOr(&has_contact, 1u);
        } else {
            let row = 6u * params.n_particles + i;
            let slip_damage = particles[row];
            if any(slip_damage.xyz != vec3<f32>(0.0)) {
                particles[row] = vec4<f32>(0.0, 0.0, 0.0, slip_damage.w);
            }
        }
    }
    workgroupBarrier();
    if lane == 0u {
        is_active = atomicLoad(&has_contact);
    }
    if workgroupUniformLoad(&is_active) == 0u {
        return;
    }
    find_neighbours(lane, chunk.x, block);
    clear_sums(lane);
    clear_impulses(lane, world.n_tools, GROUP);
    workgroupBarrier();

    if contact.tool != NONE {
        let w = compute_weights(particles[i].xyz, vec3<f32>(4u * block));
        let excess = apply_contact(i, contact, w, material, h, world);
        atomicMax(&excess_speed, excess);
    }
    workgroupBarrier();

    flush_sums(lane);
    flush_impulses(lane, chunk.x, world.n_tools, GROUP);
    if lane == 0u {
        let speed = atomicLoad(&excess_speed);
        if speed != 0u {
            atomicMax(&status[chunk.x].speed, speed);
            atomicOr(&status[chunk.x].flags, FAST);
            // The substep has started: other workgroups of the world are running it.
            atomicMin(&status[chunk.x].stop_at, substep + 1u);
        }
    }
}
