// Noise, time gain compensation, envelope, logarithm: one thread for each line of each sample.

@group(0) @binding(1) var<storage, read> seen: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read> gain: array<f32>;
@group(0) @binding(3) var<storage, read> noise: array<vec2<f32>>;
// Start of the noise of each sample of each frame.
@group(0) @binding(4) var<storage, read> starts: array<u32>;
// Envelope, line by line.
@group(0) @binding(5) var<storage, read_write> levels: array<f32>;

// 10 log10 of a power, with an error of 1e-4 dB: ln m = 2 artanh((m - 1) / (m + 1)) for the mantissa in 0.75 to 1.5.
// The functions of drivers may be less precise.
fn decibels(given: f32) -> f32 {
    let bits = bitcast<i32>(max(given, 1e-20));
    let exponent = (bits - 0x3f400000) >> 23u;
    let mantissa = bitcast<f32>(bits - (exponent << 23u));
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let z = s * s;
    var p = 2.0 / 9.0 * z + 2.0 / 7.0;
    p = (p * z + 2.0 / 5.0) * z + 2.0 / 3.0;
    let ln = (p * z + 2.0) * s + f32(exponent) * 0.6931472;
    return max(4.3429448 * ln, SILENCE);
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
    let start = starts[here.frame * params.n_samples + here.sample];
    let value = seen[index] + noise[start + here.line];
    let amplified = gain[here.sample] * gain[here.sample];
    let at = (here.frame * params.n_lines + here.line) * params.n_samples + here.sample;
    levels[at] = decibels(dot(value, value) * amplified);
}
