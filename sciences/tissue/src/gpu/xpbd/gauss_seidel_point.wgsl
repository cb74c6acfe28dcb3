// Gauss-Seidel sweeps: constraints have moved the points already.

// Positions during the sweep.
@group(0) @binding(10) var<storage, read_write> moved: array<vec4<f32>>;

// Position of a point after its constraints [m].
fn corrected(point: u32, world: u32, p: vec3<f32>, mass: Mass) -> vec3<f32> {
    return moved[index_of(point, world, params.n_points)].xyz;
}

// The next sweep begins at the predicted position.
fn begin_substep(i: u32, p: vec3<f32>) {
    predicted[i] = vec4<f32>(p, 0.0);
    moved[i] = predicted[i];
}
