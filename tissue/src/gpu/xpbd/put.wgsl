// Puts worlds of a list at rest, or one world where a list of states says.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> vertices: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> listed: array<u32>;
// Positions, then velocities, of one world.
@group(0) @binding(3) var<storage, read> states: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> positions: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> velocities: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> status: array<Status>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let vertex = group.x * GROUP + lane;
    let n = params.n_vertices;
    let is_restored = stage.second != 0u;
    let world = listed[stage.first + group.y];
    if vertex == 0u {
        // The bits of a state that had stopped come with it.
        atomicStore(&status[world].speed, select(0u, stage.second - 1u, is_restored));
    }
    if vertex >= n {
        return;
    }
    let i = vertex * params.n_worlds + world;
    if is_restored {
        positions[i] = states[vertex];
        velocities[i] = states[n + vertex];
    } else {
        positions[i] = vec4<f32>(vertices[vertex].xyz, 0.0);
        let moves = select(0.0, 1.0, vertices[vertex].w > 0.0);
        velocities[i] = moves * states[2u * n];
    }
}
