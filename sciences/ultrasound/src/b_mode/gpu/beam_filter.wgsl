// Beam filter across lines: one thread for each line of each sample.

@group(0) @binding(1) var<storage, read> pulsed: array<vec2<f32>>;
// Lines on either side, for each sample.
@group(0) @binding(2) var<storage, read> reaches: array<u32>;
// Tap for each distance in lines, for each sample.
@group(0) @binding(3) var<storage, read> taps: array<f32>;
@group(0) @binding(4) var<storage, read_write> seen: array<vec2<f32>>;

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
    let reach = reaches[here.sample];
    var sum = taps[here.sample] * pulsed[index];
    for (var lines = 1u; lines <= reach; lines++) {
        var both = vec2<f32>(0.0);
        if here.line >= lines {
            both += pulsed[index - lines];
        }
        if here.line + lines < params.n_lines {
            both += pulsed[index + lines];
        }
        sum += taps[lines * params.n_samples + here.sample] * both;
    }
    seen[index] = sum;
}
