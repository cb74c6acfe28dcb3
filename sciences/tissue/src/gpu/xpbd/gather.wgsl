// Gathers the state of one world.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> velocities: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> holds: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> alive: array<u32>;
// Positions, velocities, holds; then, if any can tear, whether each tetrahedron is intact.
@group(0) @binding(5) var<storage, read_write> gathered: array<u32>;

fn write_row(number: u32, row: vec4<u32>) {
    for (var k = 0u; k < 4u; k++) {
        gathered[4u * number + k] = row[k];
    }
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let number = group.x * GROUP + lane;
    let n = params.n_points;
    let i = index_of(number, stage.first, n);
    if number < params.n_tets && params.tears != 0u {
        gathered[12u * n + number] = alive[index_of(number, stage.first, params.n_tets)];
    }
    if number < n {
        write_row(number, bitcast<vec4<u32>>(positions[i]));
        write_row(n + number, bitcast<vec4<u32>>(velocities[i]));
        write_row(2u * n + number, holds[i]);
    }
}
