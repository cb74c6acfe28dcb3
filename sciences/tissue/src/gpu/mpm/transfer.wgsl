// Grid to particles and back to the grid, for up to 128 particles of one block at once.
//
// Shared memory holds the velocities to read, and the sums of momentum and mass to write: see `tile.wgsl`.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> worlds: array<World>;
@group(0) @binding(2) var<storage, read_write> status: array<Status>;
@group(0) @binding(3) var<storage, read> chunks: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> lists: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> slots: array<u32>;
@group(0) @binding(6) var<storage, read> tags: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read> materials: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read_write> particles: array<vec4<f32>>;
@group(0) @binding(9) var<storage, read> velocities: array<vec4<f32>>;
@group(0) @binding(10) var<storage, read_write> momenta: array<atomic<i32>>;

// Speed limit, in cells per substep.
const SPEED_CELLS = 0.5;

var<workgroup> is_active: u32;
var<workgroup> node_velocity_x: array<f32, TILE>;
var<workgroup> node_velocity_y: array<f32, TILE>;
var<workgroup> node_velocity_z: array<f32, TILE>;
var<workgroup> flags: atomic<u32>;
var<workgroup> max_speed: atomic<u32>;

fn node_velocity(node: u32) -> vec3<f32> {
    return vec3<f32>(node_velocity_x[node], node_velocity_y[node], node_velocity_z[node]);
}

// Sums of velocity, and of velocity times the offset of the node along each axis.
struct Moments {
    plain: vec3<f32>,
    x: vec3<f32>,
    y: vec3<f32>,
    z: vec3<f32>,
}

fn g2p_row(node: u32, w: Weights) -> array<vec3<f32>, 2> {
    let first = w.z.x * node_velocity(node);
    let second = w.z.y * node_velocity(node + 1u);
    let third = w.z.z * node_velocity(node + 2u);
    let plain = first + second + third;
    return array<vec3<f32>, 2>(plain, w.offset.z * plain + second + 2.0 * third);
}

fn g2p_plane(node: u32, w: Weights) -> Moments {
    let first = g2p_row(node, w);
    let second = g2p_row(node + 8u, w);
    let third = g2p_row(node + 16u, w);
    let plain = w.y.x * first[0] + w.y.y * second[0] + w.y.z * third[0];
    let y = w.offset.y * plain + w.y.y * second[0] + 2.0 * w.y.z * third[0];
    let z = w.y.x * first[1] + w.y.y * second[1] + w.y.z * third[1];
    return Moments(plain, vec3<f32>(0.0), y, z);
}

fn g2p(w: Weights) -> Moments {
    let first = g2p_plane(w.node, w);
    let second = g2p_plane(w.node + 64u, w);
    let third = g2p_plane(w.node + 128u, w);
    let plain = w.x.x * first.plain + w.x.y * second.plain + w.x.z * third.plain;
    let x = w.offset.x * plain + w.x.y * second.plain + 2.0 * w.x.z * third.plain;
    let y = w.x.x * first.y + w.x.y * second.y + w.x.z * third.y;
    let z = w.x.x * first.z + w.x.y * second.z + w.x.z * third.z;
    return Moments(plain, x, y, z);
}

struct Particle {
    // Where weights are taken, and the way from there, in cells.
    position: vec3<f32>,
    displacement: vec3<f32>,
    velocity: vec3<f32>,
    // Rows of C and F.
    c: array<vec3<f32>, 3>,
    f: array<vec3<f32>, 3>,
}

fn load(i: u32, with_motion: bool) -> Particle {
    let n = params.n_particles;
    let a = particles[i];
    let b = particles[n + i];
    let c = particles[2u * n + i];
    var p: Particle;
    p.position = a.xyz;
    p.displacement = displacement(i);
    p.f = array<vec3<f32>, 3>(b.xyz, vec3<f32>(b.w, c.xy), vec3<f32>(c.zw, a.w));
    if with_motion {
        let d = particles[3u * n + i];
        let e = particles[4u * n + i];
        let g = particles[5u * n + i];
        p.velocity = d.xyz;
        p.c = array<vec3<f32>, 3>(e.xyz, vec3<f32>(e.w, g.xy), vec3<f32>(g.zw, d.w));
    }
    return p;
}

fn store(i: u32, p: Particle) {
    let n = params.n_particles;
    particles[i] = vec4<f32>(p.position, p.f[2].z);
    particles[n + i] = vec4<f32>(p.f[0], p.f[1].x);
    particles[2u * n + i] = vec4<f32>(p.f[1].yz, p.f[2].xy);
    particles[3u * n + i] = vec4<f32>(p.velocity, p.c[2].z);
    particles[4u * n + i] = vec4<f32>(p.c[0], p.c[1].x);
    particles[5u * n + i] = vec4<f32>(p.c[1].yz, p.c[2].xy);
    if TOTAL {
        particles[DISPLACEMENT_ROW * n + i] = vec4<f32>(p.displacement, 0.0);
    }
}

// Grid to particle: v, C, x and F.
fn advect(p: ptr<function, Particle>, w: Weights, dt: f32) {
    let found = g2p(w);
    let scale = 4.0 / params.cell_width;
    (*p).velocity = found.plain;
    let c = array<vec3<f32>, 3>(
        scale * vec3<f32>(found.x.x, found.y.x, found.z.x),
        scale * vec3<f32>(found.x.y, found.y.y, found.z.y),
        scale * vec3<f32>(found.x.z, found.y.z, found.z.z),
    );
    (*p).c = c;
    let way = found.plain * (dt / params.cell_width);
    let f = (*p).f;
    if TOTAL {
        (*p).displacement += way;
        (*p).f = array<vec3<f32>, 3>(f[0] + dt * c[0], f[1] + dt * c[1], f[2] + dt * c[2]);
        return;
    }
    (*p).position += way;
    (*p).f = array<vec3<f32>, 3>(
        f[0] + dt * (c[0].x * f[0] + c[0].y * f[1] + c[0].z * f[2]),
        f[1] + dt * (c[1].x * f[0] + c[1].y * f[1] + c[1].z * f[2]),
        f[2] + dt * (c[2].x * f[0] + c[2].y * f[1] + c[2].z * f[2]),
    );
}

// Rows of Q dx = m dx C - dt (4 / dx) V stress, with the stress of the elastic law, reduced by damage, plus viscosity.
fn affine_momentum(i: u32, p: Particle, number: u32, world: World) -> array<vec3<f32>, 3> {
    let c = p.c;
    let material = materials[number];
    let rest = materials[number + 2u];
    let lambda = world.modulus * material.z;
    var tau = kirchhoff(p.f, world.modulus * material.w, lambda);
    if TEARS {
        let row = 6u * params.n_particles + i;
        let slip_damage = particles[row];
        let damage = update_damage(p.f, slip_damage.w, rest.yz);
        particles[row] = vec4<f32>(slip_damage.xyz, damage);
        tau = damaged_stress(tau, p.f, damage, lambda);
    }
    let stress = stress_at_weights(tau, c, p.f, world.viscosity * rest.x);
    let inertial = material.x * params.cell_width;
    let push = -4.0 * world.dt / params.cell_width * material.y;
    return array<vec3<f32>, 3>(
        inertial * c[0] + push * stress[0],
        inertial * c[1] + push * stress[1],
        inertial * c[2] + push * stress[2],
    );
}

// Particle to grid; returns the bits of a speed above the limit, or 0.
fn p2g(i: u32, p: Particle, w: Weights, world: World) -> u32 {
    let number = 3u * tags[i].y;
    let mass = materials[number].x;
    let q = affine_momentum(i, p, number, world);
    let own = mass * p.velocity;
    let spread = vec3<f32>(
        dot(abs(q[0]), vec3<f32>(1.0)),
        dot(abs(q[1]), vec3<f32>(1.0)),
        dot(abs(q[2]), vec3<f32>(1.0)),
    );
    let most = max_abs_bits((abs(own) + 1.5 * spread) / mass);
    if most > bitcast<u32>(p2g_limit(world.dt)) {
        return most;
    }
    let scale = world.momentum_scale;
    let columns = array<vec4<f32>, 3>(
        scale * vec4<f32>(q[0].x, q[1].x, q[2].x, 0.0),
        scale * vec4<f32>(q[0].y, q[1].y, q[2].y, 0.0),
        scale * vec4<f32>(q[0].z, q[1].z, q[2].z, 0.0),
    );
    p2g_affine(vec4<f32>(scale * own, world.mass_scale * mass), columns, w);
    return 0u;
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
    let does_g2p = (stage.second & G2P) != 0u;
    // A world may have fewer substeps than others.
    let goes_on = !does_g2p || substep + 1u < world.n_substeps;
    let does_p2g = (stage.second & P2G) != 0u && goes_on;
    if lane == 0u {
        let has_started = !does_g2p || status[chunk.x].start_at <= substep;
        is_active = select(0u, 1u, has_started && substep < atomicLoad(&status[chunk.x].stop_at));
        atomicStore(&flags, 0u);
        atomicStore(&max_speed, 0u);
    }
    if workgroupUniformLoad(&is_active) == 0u {
        return;
    }
    let block = unpack(chunk.y);
    find_neighbours(lane, chunk.x, block);
    clear_sums(lane);
    workgroupBarrier();
    if does_g2p {
        for (var i = 0u; i < 4u; i++) {
            let node = i * GROUP + lane;
            let source = grid_index(node);
            var velocity = vec3<f32>(0.0);
            if source != NONE {
                velocity = velocities[source].xyz;
            }
            node_velocity_x[node] = velocity.x;
            node_velocity_y[node] = velocity.y;
            node_velocity_z[node] = velocity.z;
        }
    }
    workgroupBarrier();

    let i = chunk.z + lane;
    if i < chunk.w {
        let origin = vec3<f32>(4u * block);
        var p = load(i, !does_g2p);
        var own_flags = 0u;
        var speed = 0u;
        if does_g2p {
            // grid => v, C => x, F
            advect(&p, compute_weights(p.position, origin), world.dt);
            store(i, p);
            speed = max_abs_bits(p.velocity);
            if speed > bitcast<u32>(SPEED_CELLS * params.cell_width / world.dt) {
                own_flags |= FAST;
            }
        }
        let w = compute_weights(p.position, origin);
        let base = floor(p.position - 0.5);
        let last = vec3<f32>(params.n_blocks * 4u) - 3.0;
        if !(all(base >= vec3<f32>(0.0)) && all(base <= last)) {
            own_flags |= LEFT;
        } else if !w.is_inside {
            own_flags |= ASTRAY;
        } else if does_p2g && own_flags == 0u {
            // F => tau => Q => grid
            let excess_speed = p2g(i, p, w, world);
            if excess_speed != 0u {
                own_flags |= FAST;
                speed = max(speed, excess_speed);
            }
        }
        atomicMax(&max_speed, speed);
        if own_flags != 0u {
            atomicOr(&flags, own_flags);
        }
    }
    workgroupBarrier();

    if lane == 0u {
        atomicMax(&status[chunk.x].speed, atomicLoad(&max_speed));
        let found = atomicLoad(&flags);
        if found != 0u {
            atomicOr(&status[chunk.x].flags, found);
            // With G2P the substep is finished; with P2G alone it has not started.
            atomicMin(&status[chunk.x].stop_at, select(substep, substep + 1u, does_g2p));
        }
    }
    if does_p2g {
        flush_sums(lane);
    }
}
