// Jacobi sweeps: each constraint is solved once from the predicted positions, and its corrections are stored for its points.

// Gradient times delta lambda [kg m]: rows of three numbers of all worlds.
@group(0) @binding(8) var<storage, read_write> corrections: array<f32>;

fn position(point: u32, world: u32) -> vec3<f32> {
    return predicted[point * params.n_worlds + world].xyz;
}

// Displacement of a point in this substep [m].
fn displacement(point: u32, world: u32) -> vec3<f32> {
    return coasted(point, world);
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
