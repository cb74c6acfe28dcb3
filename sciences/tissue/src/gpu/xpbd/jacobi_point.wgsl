// Jacobi sweeps: a point moves by the sum of its constraints' corrections, in their order, times its share.

// First row of each point's corrections; the rows of the next point follow.
@group(0) @binding(10) var<storage, read> row_starts: array<u32>;
// Twice the index of a row of corrections, plus 1 if the point takes the negative.
@group(0) @binding(11) var<storage, read> rows: array<u32>;
@group(0) @binding(12) var<storage, read> corrections: array<f32>;

// Sum of the corrections of a point [m].
fn sum_of_corrections(point: u32, world: u32, inv_mass: f32) -> vec3<f32> {
    let n = params.n_worlds;
    var sum = vec3<f32>(0.0);
    for (var k = row_starts[point]; k < row_starts[point + 1u]; k++) {
        let first = 3u * (rows[k] / 2u) * n + world;
        let correction = vec3<f32>(corrections[first], corrections[first + n], corrections[first + 2u * n]);
        sum += correction * select(inv_mass, -inv_mass, (rows[k] & 1u) != 0u);
    }
    return sum;
}

// Position of a point after its constraints, given its predicted position [m].
fn corrected(point: u32, world: u32, p: vec3<f32>, mass: Mass) -> vec3<f32> {
    return p + sum_of_corrections(point, world, mass.split) * mass.share;
}

// The next sweep reads the predicted positions.
fn begin_substep(i: u32, p: vec3<f32>) {
    predicted[i] = vec4<f32>(p, 0.0);
}
