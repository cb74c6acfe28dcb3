// Common to all kernels: beam space and the carrier.

struct Params {
    n_lines: u32,
    n_samples: u32,
    // Places of a line, without the margins before the first and behind the last.
    n_places: u32,
    margin: u32,
    // Places and periods per metre.
    places: f32,
    periods: f32,
    // Line on the axis, and lines per metre or radian.
    middle: f32,
    inv_spacing: f32,
    // Samples per metre.
    inv_step: f32,
    // Distance between the point in which lines meet and the face [m]; 0 if lines are parallel.
    apex: f32,
    is_fan: u32,
    // Places per sample.
    n_finer: u32,
    pad_0: u32,
    // Pictures: four pixels to a word.
    n_words: u32,
    black: f32,
    grey: f32,
}

struct Work {
    // Number of work items.
    n: u32,
    pad_0: u32,
}

// Threads of a group.
const GROUP = 64u;

@group(0) @binding(0) var<uniform> params: Params;
var<immediate> work: Work;

// A sample of a line of a frame.
struct PointMaterial {
    frame: u32,
    sample: u32,
    line: u32,
}

fn place_of(index: u32) -> PointMaterial {
    let row = index / params.n_lines;
    return PointMaterial(row / params.n_samples, row % params.n_samples, index % params.n_lines);
}
