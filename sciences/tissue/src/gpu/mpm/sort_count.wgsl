// Sort, second: the block of each particle, and its index among the particles of the block.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> particles: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> tags: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> materials: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> counts: array<atomic<u32>>;
// Block of each particle, and index in the block.
@group(0) @binding(5) var<storage, read_write> places: array<vec2<u32>>;
// Blocks with particles.
@group(0) @binding(6) var<storage, read_write> occupied: array<u32>;
// Numbers of blocks with particles, of node blocks and of chunks of particles; then, for each world, of node blocks and
// of particles.
@group(0) @binding(7) var<storage, read_write> counters: array<atomic<u32>>;

@compute @workgroup_size(128)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.y * groups.x + group.x) * GROUP + lane;
    if i >= params.n_particles {
        return;
    }
    let world = bitcast<u32>(materials[3u * tags[i].y + 1u].w);
    // A particle of a stopped world may have any position, including NaN.
    let last = vec3<f32>(params.n_blocks * 4u) - 3.0;
    let base = clamp(floor(particles[i].xyz - 0.5), vec3<f32>(0.0), last);
    let at = min(vec3<u32>(base) / 4u, params.n_blocks - 1u);
    let key = key_of(world, at, params.n_blocks);
    let place = atomicAdd(&counts[key], 1u);
    places[i] = vec2<u32>(key, place);
    if place == 0u {
        occupied[atomicAdd(&counters[0], 1u)] = key;
    }
}
