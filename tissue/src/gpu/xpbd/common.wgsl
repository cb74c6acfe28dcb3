// What the kernels of the constraint solver share. Worlds lie side by side: point p of world w is number p * n_worlds + w, and so are edges
// and tetrahedra, so that neighbouring threads do the same with neighbouring numbers.

struct Params {
    // [m/s]
    kick: vec3<f32>,
    // [s]
    dt: f32,
    // 1 / dt [1/s]
    rate: f32,
    // What a substep leaves of a velocity.
    kept: f32,
    // [m/s]
    max_speed: f32,
    // How far a tool at rest pushes tissue in a substep, at most [m].
    push_way: f32,
    // Points: vertices, then those of attachments.
    n_points: u32,
    n_worlds: u32,
    n_tets: u32,
    n_edges: u32,
    // Tools that each world has room for.
    tool_stride: u32,
    // Steps of impulse per kg m/s.
    impulse_scale: f32,
    // Whether any constraint is damped; whether any tetrahedron can tear.
    is_damped: u32,
    tears: u32,
}

// Of a point: inverse mass [1/kg], 0: it does not move; inverse mass as constraints take it; what is left of the sum of their corrections;
// mass [kg].
struct Mass {
    inverse: f32,
    split: f32,
    share: f32,
    mass: f32,
}

struct Tet {
    vertices: vec4<u32>,
    // Rows of the inverse of the edges at rest [1/m]; volume at rest [m^3].
    row_1: vec3<f32>,
    volume: f32,
    // J at which the hydrostatic constraint is met.
    row_2: vec3<f32>,
    rest_j: f32,
    // Square of the stretch above which it tears.
    row_3: vec3<f32>,
    tear_stretch: f32,
    // Of the neo-Hookean law lambda V and mu V [J]; of a volume compliance [m^3/Pa] and damping time [s].
    first: f32,
    second: f32,
    law: u32,
}

const NEO_HOOKEAN = 0u;

struct Status {
    // The world stops before this substep.
    stop_at: atomic<u32>,
    // Bits of a speed that is too great; 0: none is.
    speed: atomic<u32>,
}

// What has a vertex: place in the frame of the tool that holds it [m], in bits; and who. A vertex whose elements are all torn is loose: it
// stays where it is, and nothing touches it.
const FREE = 0u;
const LOOSE = 1u;
// The number of the tool is added; and so is STICKS where friction holds the vertex, which lets go when it is finite again.
const HELD = 2u;
const STICKS = 16u;

// Number of the tool that holds a vertex; beyond all tools if none does.
fn holder(who: u32) -> u32 {
    return (who & (STICKS - 1u)) - HELD;
}

struct Stage {
    first: u32,
    second: u32,
}

var<immediate> stage: Stage;

const GROUP = 64u;
