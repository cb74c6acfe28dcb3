// After tearing: a vertex that has lost its last tetrahedron is detached and released.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> masses: array<Mass>;
// First tetrahedron of each point; the tetrahedra of the next point follow.
@group(0) @binding(2) var<storage, read> tet_starts: array<u32>;
@group(0) @binding(3) var<storage, read> point_tets: array<u32>;
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
    if stage.first >= atomicLoad(&status[world].stop_at) || mass.inv_mass == 0.0 || holds[i].w == DETACHED {
        return;
    }
    for (var k = tet_starts[point]; k < tet_starts[point + 1u]; k++) {
        if alive[point_tets[k] * params.n_worlds + world] != 0u {
            return;
        }
    }
    let impulse = velocities[i].xyz * (-params.impulse_scale * mass.mass);
    add_impulse(impulse_slot(world, params.tool_stride), impulse, vec3<f32>(0.0));
    velocities[i] = vec4<f32>(0.0);
    predicted[i] = vec4<f32>(positions[i].xyz + params.dt * params.delta_v, 0.0);
    holds[i] = vec4<u32>(0u, 0u, 0u, DETACHED);
}
