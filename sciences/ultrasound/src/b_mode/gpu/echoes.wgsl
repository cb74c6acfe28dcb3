// Echoes of the probe, boundaries and wires: one thread for each.

struct Echo {
    frame: u32,
    line: u32,
    // Shown range [m].
    range: f32,
    amplitude: f32,
}

@group(0) @binding(3) var<storage, read> echoes: array<Echo>;

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
    let echo = echoes[index];
    let place = max(echo.range * params.places + 0.5, 0.0);
    if place >= f32(params.n_places) {
        return;
    }
    let value = echo.amplitude * phase(fract(echo.range * params.periods));
    put(echo.frame, u32(place), echo.line, value);
}
