// Speckle: one group of threads for a lattice in a block, one thread for a row of its cells.

struct Job {
    // Steps of a scatterer in its cell along x, y and z at rest, in the probe's frame [m]; w: the rest origin plus half a step there.
    steps: array<vec4<f32>, 3>,
    // Where the row (0, 0) leaves each pair of sides, and the change per cell across [cells]; w: half the distance from side to side.
    sides: array<vec4<f32>, 3>,
    // First range, and length [m].
    ranges: vec2<f32>,
    // First line, and the line behind the last.
    lines: vec2<f32>,
    // Narrowness at the start of the block's ranges, and its change per metre.
    narrowness: vec2<f32>,
    // The centre of the block along the rows [cells].
    middle: f32,
    // Part of the depth.
    part: u32,
    // Difference of the numbers of neighbouring cells, along rows and across; w: number of the cell at the origin.
    strides: vec4<u32>,
    // First and last cell across the rows, along two axes.
    across: vec4<i32>,
    frame: u32,
    // Axis of the rows.
    along: u32,
    first_sample: u32,
    pad_0: u32,
}

@group(0) @binding(3) var<storage, read> jobs: array<Job>;
// For each frame, line and ray: amplitude of diffuse echoes, and the excess of the shown depth of a sample [m].
@group(0) @binding(4) var<storage, read> rays: array<vec2<f32>>;
// For each part of the depth: amplitude of a scatterer between each sample and the next.
@group(0) @binding(5) var<storage, read> strengths: array<f32>;

// Random bits of a cell: finaliser of Murmur3 (Appleby 2016).
fn mix_bits(number: u32) -> u32 {
    var bits = number;
    bits ^= bits >> 16u;
    bits *= 0x85EBCA6Bu;
    bits ^= bits >> 13u;
    bits *= 0xC2B2AE35u;
    return bits ^ (bits >> 16u);
}

// arctan within -1 to 1, with an error of 1e-5. The functions of drivers may be less precise.
fn arc_tangent(t: f32) -> f32 {
    let s = t * t;
    var p = -0.0117212 * s + 0.05265332;
    p = p * s - 0.11643287;
    p = p * s + 0.19354346;
    p = p * s - 0.33262347;
    return (p * s + 0.99997726) * t;
}

// Adds the echo of a cell's scatterer to the two neighbouring lines.
fn scatter(j: u32, number: u32, corner: vec3<f32>) {
    let bits = mix_bits(number);
    let thirds = vec3<u32>(bits, bits >> 10u, bits >> 20u) & vec3<u32>(1023u);
    let jitter = vec3<f32>(thirds);
    let offset = jitter.x * jobs[j].steps[0].xyz + jitter.y * jobs[j].steps[1].xyz
        + jitter.z * jobs[j].steps[2].xyz;
    let at = corner + offset;
    var lateral = at.x;
    var deep = at.z;
    if params.is_fan != 0u {
        let up = at.z + params.apex;
        lateral = arc_tangent(at.x / up);
        deep = sqrt(at.x * at.x + up * up) - params.apex;
    }
    let lines = jobs[j].lines;
    let ranges = jobs[j].ranges;
    let across = lateral * params.inv_spacing + (params.middle - lines.x);
    let into = deep - ranges.x;
    let narrowness = jobs[j].narrowness;
    let exponent = at.y * at.y * (narrowness.x + narrowness.y * into);
    let is_inside = into >= 0.0 && into < ranges.y && across >= 0.0
        && across < lines.y - lines.x && exponent < OUTSIDE;
    if !is_inside {
        return;
    }
    let sample = into * params.inv_step;
    let before = floor(sample);
    let strength = strengths[jobs[j].part * SAMPLES + (u32(before) & (SAMPLES - 1u))];
    let unit = strength * exp2(-exponent);
    // Attenuation, and the shown range of the echo.
    var ray = 1u;
    if exponent > BETWEEN {
        ray = select(2u, 0u, at.y < 0.0);
    }
    let nearest = min(u32(lines.x + round(across)), params.n_lines - 1u);
    let track = (jobs[j].frame * params.n_lines + nearest) * 3u + ray;
    let behind = min(jobs[j].first_sample + u32(before), params.n_samples - 1u);
    let here = rays[track * (params.n_samples + 1u) + behind];
    let next = rays[track * (params.n_samples + 1u) + behind + 1u];
    let range = deep + here.y + (sample - before) * (next.y - here.y);
    let place = range * params.places;
    if !(place >= 0.0 && place < f32(params.n_places) - 1.0) {
        return;
    }
    let sign = select(1.0, -1.0, (bits & 0x80000000u) != 0u);
    let turns = range * params.periods;
    let echo = sign * unit * here.x * phase(turns - floor(turns));
    let left = floor(across);
    let line = u32(lines.x + left);
    let row = u32(round(place));
    put(jobs[j].frame, row, line, (1.0 - (across - left)) * echo);
    put(jobs[j].frame, row, line + 1u, (across - left) * echo);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let j = group.y * groups.x + group.x;
    if j >= work.n {
        return;
    }
    let across = jobs[j].across;
    let along = jobs[j].along;
    let zero = vec3<f32>(jobs[j].steps[0].w, jobs[j].steps[1].w, jobs[j].steps[2].w);
    let room = vec3<f32>(jobs[j].sides[0].w, jobs[j].sides[1].w, jobs[j].sides[2].w);
    let step = STEPS * jobs[j].steps[along].xyz;
    let step_b = STEPS * jobs[j].steps[(along + 1u) % 3u].xyz;
    let step_c = STEPS * jobs[j].steps[(along + 2u) % 3u].xyz;
    let n_b = across.y - across.x + 1;
    let n_rows = n_b * (across.w - across.z + 1);
    for (var row = i32(lane); row < n_rows; row += i32(GROUP)) {
        let b = across.x + row % n_b;
        let c = across.z + row / n_b;
        let sides = jobs[j].sides[0].xyz + f32(b) * jobs[j].sides[1].xyz + f32(c) * jobs[j].sides[2].xyz;
        let lows = -room - sides;
        let highs = room - sides;
        let low = max(max(lows.x, lows.y), lows.z);
        let high = min(min(highs.x, highs.y), highs.z);
        if low > high {
            continue;
        }
        let first = i32(floor(jobs[j].middle + low));
        let n = i32(floor(jobs[j].middle + high)) - first + 1;
        let strides = jobs[j].strides;
        var number = strides.w + u32(first) * strides.x + u32(b) * strides.y + u32(c) * strides.z;
        let corner = zero + f32(first) * step + f32(b) * step_b + f32(c) * step_c;
        for (var cell = 0; cell < n; cell++) {
            scatter(j, number, corner + f32(cell) * step);
            number += strides.x;
        }
    }
}
