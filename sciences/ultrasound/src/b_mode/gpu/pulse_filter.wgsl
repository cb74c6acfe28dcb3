// Pulse filter along lines: one thread for each line of each sample.

@group(0) @binding(1) var<storage, read> echoes: array<vec2<i32>>;
@group(0) @binding(2) var<storage, read> scales: array<f32>;
// Pulses from their peaks on: the even real and the odd imaginary part.
@group(0) @binding(3) var<storage, read> taps: array<vec2<f32>>;
// First tap and number of taps of the pulse, for each sample of each frame.
@group(0) @binding(4) var<storage, read> chosen: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read_write> pulsed: array<vec2<f32>>;

// Echo of a place of a line.
fn echo(place: u32, line: u32) -> vec2<f32> {
    return vec2<f32>(echoes[place * params.n_lines + line]);
}

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
    let span = chosen[here.frame * params.n_samples + here.sample];
    let middle = here.frame * (params.n_places + 2u * params.margin) + here.sample * params.n_finer
        + params.margin;
    var even = echo(middle, here.line);
    var odd = vec2<f32>(0.0);
    for (var k = 1u; k < span.y; k++) {
        let before = echo(middle - k, here.line);
        let behind = echo(middle + k, here.line);
        even += taps[span.x + k].x * (before + behind);
        odd += taps[span.x + k].y * (before - behind);
    }
    let sum = even + vec2<f32>(-odd.y, odd.x);
    pulsed[index] = sum / scales[here.frame];
}
