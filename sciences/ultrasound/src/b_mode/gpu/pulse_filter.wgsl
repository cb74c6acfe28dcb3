// Pulse filter along lines: one thread for each line of each sample.

@group(0) @binding(1) var<storage, read> echoes: array<vec2<i32>>;
@group(0) @binding(2) var<storage, read> scales: array<f32>;
@group(0) @binding(3) var<storage, read> taps: array<f32>;
@group(0) @binding(4) var<storage, read_write> pulsed: array<vec2<f32>>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = (group.y * groups.x + group.x) * GROUP + lane;
    if index >= work.n {
        return;
    }
    let here = place_of(index);
    let first = here.frame * (params.n_places + 2u * params.margin) + here.sample * params.n_finer
        + params.margin - params.n_taps / 2u;
    var sum = vec2<f32>(0.0);
    for (var k = 0u; k < params.n_taps; k++) {
        sum += taps[k] * vec2<f32>(echoes[(first + k) * params.n_lines + here.line]);
    }
    pulsed[index] = sum / scales[here.frame];
}
