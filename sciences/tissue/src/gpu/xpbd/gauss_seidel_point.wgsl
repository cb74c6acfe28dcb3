// Gauss-Seidel sweeps: constraints have moved the points already.

// Positions during the sweep.
@group(0) @binding(10) var<storage, read_write> moved: array<vec4<f32>>;

// Position of a point after its constraints [m].
fn corrected(i: u32, p: vec3<f32>, mass: Mass) -> vec3<f32> {
    return moved[i].xyz;
}

// The next sweep begins at the predicted position.
fn begin_sweep(i: u32) {
    moved[i] = predicted[i];
}
