// Releases all vertices that a tool of a world has grasped.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> holds: array<vec4<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let point = group.x * GROUP + lane;
    let i = index_of(point, stage.first, params.n_points);
    if point < params.n_points && holds[i].w == HELD + stage.second {
        holds[i] = vec4<u32>(0u);
    }
}
