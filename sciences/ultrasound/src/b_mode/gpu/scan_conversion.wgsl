// Scan conversion: one thread for four pixels, each interpolated between four samples of the envelope's logarithm.

struct Pixel {
    // Index of its sample, and weights of the next line and the next sample.
    sample: u32,
    across: f32,
    along: f32,
}

// Sample index of a pixel outside of the field of view.
const OUTSIDE = 0xffffffffu;

@group(0) @binding(1) var<storage, read> levels: array<f32>;
@group(0) @binding(2) var<storage, read> pixels: array<Pixel>;
@group(0) @binding(3) var<storage, read_write> pictures: array<u32>;

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
    let start = index / params.n_words * params.n_lines * params.n_samples;
    var word = 0u;
    for (var i = 0u; i < 4u; i++) {
        let pixel = pixels[4u * (index % params.n_words) + i];
        if pixel.sample == OUTSIDE {
            continue;
        }
        let at = start + pixel.sample;
        let next_line = at + params.n_samples;
        let first = mix(levels[at], levels[at + 1u], pixel.along);
        let second = mix(levels[next_line], levels[next_line + 1u], pixel.along);
        let level = (mix(first, second, pixel.across) - params.black) * params.grey;
        word |= u32(clamp(level, 0.0, 255.0)) << (8u * i);
    }
    pictures[index] = word;
}
