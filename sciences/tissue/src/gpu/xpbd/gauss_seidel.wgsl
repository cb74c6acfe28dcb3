// Gauss-Seidel sweeps: the constraints of one colour share no point and are solved at once, from the positions that earlier colours have left.

// Positions during the sweep.
@group(0) @binding(8) var<storage, read_write> moved: array<vec4<f32>>;
// First constraint of each colour of this kind, and the number of constraints.
@group(0) @binding(9) var<storage, read> color_starts: array<u32>;

fn position(point: u32, world: u32) -> vec3<f32> {
    return moved[point * params.n_worlds + world].xyz;
}

// Displacement of a point in this substep [m].
fn displacement(point: u32, world: u32) -> vec3<f32> {
    let i = point * params.n_worlds + world;
    return coasted(point, world) + (moved[i].xyz - predicted[i].xyz);
}

// Moves the points of a row of this kind's corrections.
fn write_correction(row: u32, world: u32, correction: vec3<f32>) {
    let number = row / N_CORRECTIONS;
    for (var k = row % N_CORRECTIONS; k < CONSTRAINT_POINTS; k += N_CORRECTIONS) {
        let point = constraints[number].points[k];
        // A second point of the same row takes the negative.
        let factor = select(-masses[point].inv_mass, masses[point].inv_mass, k < N_CORRECTIONS);
        let i = point * params.n_worlds + world;
        moved[i] = vec4<f32>(moved[i].xyz + correction * factor, 0.0);
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.y * groups.x + group.x) * GROUP + lane;
    let number = color_starts[stage.second] + i / params.n_worlds;
    let world = i % params.n_worlds;
    if number >= color_starts[stage.second + 1u] || stage.first >= atomicLoad(&status[world].stop_at) {
        return;
    }
    solve(number, world);
}
