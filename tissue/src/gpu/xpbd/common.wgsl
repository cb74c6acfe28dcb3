// What the kernels of the constraint solver share. Worlds lie side by side: point p of world w is number p * n_worlds + w, and so are
// constraints and tetrahedra, so that neighbouring threads do the same with neighbouring numbers.

struct Params {
    // Velocity that gravity adds in a substep [m/s].
    delta_v: vec3<f32>,
    // [s]
    dt: f32,
    // [1/s]
    inv_dt: f32,
    // 1 - drag dt
    kept: f32,
    // [m/s]
    max_speed: f32,
    // How far a tool at rest pushes tissue in a substep, at most [m].
    max_push: f32,
    // Points: vertices, then those of attachments.
    n_points: u32,
    n_worlds: u32,
    n_tets: u32,
    // Tools that each world has room for.
    tool_stride: u32,
    // Steps of impulse per kg m/s.
    impulse_scale: f32,
    // Whether any constraint is damped; whether any tetrahedron can tear.
    is_damped: u32,
    tears: u32,
    // Shares that a patch has of the masses of its points.
    patch_weight: f32,
}

// Mass of a point.
struct Mass {
    // [1/kg], 0: it does not move.
    inv_mass: f32,
    // Inverse mass as constraints take it [1/kg].
    split: f32,
    // Share of the sum of its corrections by which it moves.
    share: f32,
    // [kg]
    mass: f32,
}

struct Status {
    // The world stops before this substep.
    stop_at: atomic<u32>,
    // Bits of a speed that is too great; 0: none is.
    speed: atomic<u32>,
}

// The hold on a vertex: its position in the frame of the tool that holds it [m], in bits, and the holder. A vertex whose elements are all
// torn is detached: it stays where it is, and no tool touches it.
const FREE = 0u;
const DETACHED = 1u;
// The tool's number is added, and STICKS where infinite friction holds the vertex and not a grasp.
const HELD = 2u;
const STICKS = 16u;

// Number of the tool of a holder; beyond all tools for none.
fn tool_of(holder: u32) -> u32 {
    return (holder & (STICKS - 1u)) - HELD;
}

struct Stage {
    first: u32,
    second: u32,
}

var<immediate> stage: Stage;

const GROUP = 64u;
