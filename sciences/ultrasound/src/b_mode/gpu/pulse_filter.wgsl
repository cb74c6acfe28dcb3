// Pulse filter along lines: one thread for each line of each sample.

@group(0) @binding(1) var<storage, read> echoes: array<vec2<i32>>;
@group(0) @binding(2) var<storage, read> scales: array<f32>;
// Pulses from their peaks on: the even real and the odd imaginary part.
@group(0) @binding(3) var<storage, read> taps: array<vec2<f32>>;
// First tap and number of taps of the pulse, for each sample of each frame.
@group(0) @binding(4) var<storage, read> chosen: array<vec2<u32>>;
// Turns of places to the frequency of the pulse there, for each frame.
@group(0) @binding(5) var<storage, read> turns: array<vec2<f32>>;
@group(0) @binding(6) var<storage, read_write> pulsed: array<vec2<f32>>;

fn product(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// Echo of a place of a line, turned to the frequency of the pulse.
fn turned(place: u32, line: u32) -> vec2<f32> {
    return product(turns[place], vec2<f32>(echoes[place * params.n_lines + line]));
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
    var even = turned(middle, here.line);
    var odd = vec2<f32>(0.0);
    for (var k = 1u; k < span.y; k++) {
        let before = turned(middle - k, here.line);
        let behind = turned(middle + k, here.line);
        even += taps[span.x + k].x * (before + behind);
        odd += taps[span.x + k].y * (before - behind);
    }
    let sum = even + vec2<f32>(-odd.y, odd.x);
    let back = turns[middle] * vec2<f32>(1.0, -1.0);
    pulsed[index] = product(back, sum) / scales[here.frame];
}
