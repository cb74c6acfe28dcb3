// Constraints of one kind: each is solved once from the predicted positions, and its corrections are stored for its
// points. The source after this one defines `Constraint` and `solve`. The source before it defines N_CONSTRAINTS and
// FIRST_ROW, the first row of its corrections.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> masses: array<Mass>;
@group(0) @binding(2) var<storage, read> constraints: array<Constraint>;
// Tetrahedra of the constraints. A constraint is torn when all of its tetrahedra are torn.
@group(0) @binding(3) var<storage, read> constraint_tets: array<u32>;
@group(0) @binding(4) var<storage, read> predicted: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> velocities: array<vec4<f32>>;
// 1 for an intact tetrahedron, 0 for a torn one. Only used if any can tear.
@group(0) @binding(6) var<storage, read> alive: array<u32>;
// Gradient times delta lambda [kg m]: rows of three numbers of all worlds.
@group(0) @binding(7) var<storage, read_write> corrections: array<f32>;
@group(0) @binding(8) var<storage, read_write> status: array<Status>;

fn position(point: u32, world: u32) -> vec3<f32> {
    return predicted[point * params.n_worlds + world].xyz;
}

// Displacement of a point in this substep [m].
fn displacement(point: u32, world: u32) -> vec3<f32> {
    let step = params.dt * (velocities[point * params.n_worlds + world].xyz + params.delta_v);
    return select(vec3<f32>(0.0), step, masses[point].inv_mass > 0.0);
}

// Whether a constraint can never tear, or has an intact tetrahedron.
fn is_alive(first_tet: u32, end_tet: u32, world: u32) -> bool {
    if params.tears == 0u || first_tet == end_tet {
        return true;
    }
    for (var k = first_tet; k < end_tet; k++) {
        if alive[constraint_tets[k] * params.n_worlds + world] != 0u {
            return true;
        }
    }
    return false;
}

// Writes a row of this kind's corrections.
fn write_correction(row: u32, world: u32, correction: vec3<f32>) {
    for (var axis = 0u; axis < 3u; axis++) {
        corrections[(3u * (FIRST_ROW + row) + axis) * params.n_worlds + world] = correction[axis];
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.y * groups.x + group.x) * GROUP + lane;
    let number = i / params.n_worlds;
    let world = i % params.n_worlds;
    if number >= N_CONSTRAINTS || stage.first >= atomicLoad(&status[world].stop_at) {
        return;
    }
    solve(number, world);
}
