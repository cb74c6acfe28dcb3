// Sort, last: moves particles to their places.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> places: array<vec2<u32>>;
// First particle of each block.
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> old_particles: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> old_tags: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read_write> particles: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> tags: array<vec2<u32>>;

@compute @workgroup_size(128)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.y * groups.x + group.x) * GROUP + lane;
    let n = params.n_particles;
    if i >= n {
        return;
    }
    let to = starts[places[i].x] + places[i].y;
    for (var row = 0u; row < params.n_rows; row++) {
        particles[row * n + to] = old_particles[row * n + i];
    }
    tags[to] = old_tags[i];
}
