// Beam filter across lines: one thread for each line of each sample.

@group(0) @binding(1) var<storage, read> pulsed: array<vec2<f32>>;
// For each sample of each frame: tap of the line itself, ratio of the tap of the next line to it, lines on either side.
@group(0) @binding(2) var<storage, read> shapes: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> seen: array<vec2<f32>>;

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
    seen[index] = shape.x * sum;
}
