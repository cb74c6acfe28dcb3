// Picks the state of one world out of those of all.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> velocities: array<vec4<f32>>;
// Positions, then velocities.
@group(0) @binding(3) var<storage, read_write> picked: array<vec4<f32>>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let vertex = group.x * GROUP + lane;
    if vertex >= params.n_vertices {
        return;
    }
    let i = vertex * params.n_worlds + stage.first;
    picked[vertex] = positions[i];
    picked[params.n_vertices + vertex] = velocities[i];
}
