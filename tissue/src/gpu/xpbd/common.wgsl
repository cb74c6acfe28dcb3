// What the kernels of the constraint solver share. Worlds lie side by side: vertex v of world w is number v * n_worlds + w, so that
// neighbouring threads do the same with neighbouring numbers.

struct Params {
    // [m/s]
    kick: vec3<f32>,
    // [s]
    dt: f32,
    // Compliances over dt^2 [1/kg], [m^4/kg].
    distance_compliance: f32,
    volume_compliance: f32,
    // What a substep leaves of a velocity, over dt [1/s].
    kept_rate: f32,
    // [m/s]
    max_speed: f32,
    n_vertices: u32,
    n_worlds: u32,
    // Tools that each world has room for.
    tool_stride: u32,
    // Steps of impulse per kg m/s.
    impulse_scale: f32,
}

struct Status {
    // The world stops before this substep.
    stop_at: atomic<u32>,
    // Bits of a speed that is too great; 0: none is.
    speed: atomic<u32>,
}

struct Stage {
    first: u32,
    second: u32,
}

var<immediate> stage: Stage;

const GROUP = 64u;
