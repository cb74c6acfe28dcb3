// After tearing: a vertex that has lost its last tetrahedron stays where it is, and is let go.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> masses: array<Mass>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> places: array<u32>;
@group(0) @binding(4) var<storage, read> alive: array<u32>;
@group(0) @binding(5) var<storage, read> positions: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> velocities: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> predicted: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read_write> holds: array<vec4<u32>>;
@group(0) @binding(9) var<storage, read_write> status: array<Status>;
@group(0) @binding(10) var<storage, read_write> impulses: array<atomic<u32>>;

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
    let mass = masses[point];
    if stage.first >= atomicLoad(&status[world].stop_at) || mass.inverse == 0.0 || holds[i].w == LOOSE {
        return;
    }
    for (var k = starts[2u * point + 1u]; k < starts[2u * point + 2u]; k++) {
        if alive[places[k] / 4u * params.n_worlds + world] != 0u {
            return;
        }
    }
    let push = velocities[i].xyz * (-params.impulse_scale * mass.mass);
    add_impulse(impulse_slot(world, params.tool_stride), push, vec3<f32>(0.0));
    velocities[i] = vec4<f32>(0.0);
    predicted[i] = vec4<f32>(positions[i].xyz + params.dt * params.kick, 0.0);
    holds[i] = vec4<u32>(0u, 0u, 0u, LOOSE);
}
