// Resets the particles of listed worlds to the start.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> worlds: array<World>;
@group(0) @binding(2) var<storage, read> listed: array<u32>;
// Start position of each particle, and its material.
@group(0) @binding(3) var<storage, read> starts: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> materials: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> particles: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> tags: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read_write> status: array<Status>;

@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let world = listed[stage.first + group.y];
    let local = group.x * GROUP + lane;
    if local == 0u {
        atomicStore(&status[world].flags, 0u);
        atomicStore(&status[world].speed, 0u);
        atomicStore(&status[world].stop_at, 0u);
    }
    if local >= worlds[world].n {
        return;
    }
    let i = worlds[world].first + local;
    let n = params.n_particles;
    let start = starts[i];
    let material = bitcast<u32>(start.w);
    particles[i] = vec4<f32>(start.xyz, 1.0);
    particles[n + i] = vec4<f32>(1.0, 0.0, 0.0, 0.0);
    particles[2u * n + i] = vec4<f32>(1.0, 0.0, 0.0, 0.0);
    particles[3u * n + i] = vec4<f32>(materials[3u * material + 1u].xyz, 0.0);
    particles[4u * n + i] = vec4<f32>(0.0);
    for (var row = 5u; row < params.n_rows; row++) {
        particles[row * n + i] = vec4<f32>(0.0);
    }
    tags[i] = vec2<u32>(i, material);
}
