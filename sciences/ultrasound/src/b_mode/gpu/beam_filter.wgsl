// Beam filter across lines: one thread for each line of each sample.

// Share of a tail's beginning at which it ends.
const FAINTEST = 1e-5;

@group(0) @binding(1) var<storage, read> pulsed: array<vec2<f32>>;
// For each sample of each frame: tap of the line itself, ratio of the tap of the next line to it, lines on either side.
@group(0) @binding(2) var<storage, read> shapes: array<vec4<f32>>;
// For each sample of each frame: lines to the tails, their amplitude, what is left of it from line to line.
@group(0) @binding(3) var<storage, read> tails: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> seen: array<vec2<f32>>;

// Product of complex numbers.
fn product(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// Tails of other lines: they turn by a quarter from line to line, and have opposite signs on both sides.
fn both_tails(index: u32, line: u32, tail: vec4<f32>) -> vec2<f32> {
    var sum = vec2<f32>(0.0);
    var turn = vec2<f32>(tail.y, 0.0);
    for (var lines = u32(tail.x); lines < params.n_lines; lines++) {
        var difference = vec2<f32>(0.0);
        if line >= lines {
            difference += pulsed[index - lines];
        }
        if line + lines < params.n_lines {
            difference -= pulsed[index + lines];
        }
        sum += product(turn, difference);
        turn = tail.z * vec2<f32>(-turn.y, turn.x);
        if abs(turn.x) + abs(turn.y) < FAINTEST * tail.y {
            break;
        }
    }
    return sum;
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
    let shape = shapes[here.frame * params.n_samples + here.sample];
    let reach = u32(shape.z);
    var sum = pulsed[index];
    // e^(-n^2 / 2 sigma^2), from one distance to the next.
    var weight = shape.y;
    var ratio = shape.y * shape.y * shape.y;
    for (var lines = 1u; lines <= reach; lines++) {
        var both = vec2<f32>(0.0);
        if here.line >= lines {
            both += pulsed[index - lines];
        }
        if here.line + lines < params.n_lines {
            both += pulsed[index + lines];
        }
        sum += weight * both;
        weight *= ratio;
        ratio *= shape.y * shape.y;
    }
    let tail = tails[here.frame * params.n_samples + here.sample];
    seen[index] = shape.x * sum + both_tails(index, here.line, tail);
}
