// Adds echoes in fixed point: sums do not depend on the order of threads.

@group(0) @binding(1) var<storage, read_write> values: array<atomic<i32>>;
// Units per 1, for each frame.
@group(0) @binding(2) var<storage, read> scales: array<f32>;

// e^(-i 2 pi share) for a share of a turn, 0 to 1, with an error of 4e-6: Taylor series of a quarter of the angle, about a half turn.
// The functions of drivers may be less precise.
fn phase(share: f32) -> vec2<f32> {
    let x = (share - 0.5) * 1.5707964;
    let z = x * x;
    let sin1 = x * (1.0 + z * (-1.0 / 6.0 + z * (1.0 / 120.0 - z / 5040.0)));
    let cos1 = 1.0 + z * (-0.5 + z * (1.0 / 24.0 + z * (-1.0 / 720.0 + z / 40320.0)));
    let sin2 = 2.0 * sin1 * cos1;
    let cos2 = 1.0 - 2.0 * sin1 * sin1;
    return vec2<f32>(2.0 * sin2 * sin2 - 1.0, 2.0 * sin2 * cos2);
}

fn put(frame: u32, place: u32, line: u32, echo: vec2<f32>) {
    if line >= params.n_lines {
        return;
    }
    let row = frame * (params.n_places + 2u * params.margin) + params.margin + place;
    let at = 2u * (row * params.n_lines + line);
    let units = vec2<i32>(round(echo * scales[frame]));
    atomicAdd(&values[at], units.x);
    atomicAdd(&values[at + 1u], units.y);
}
