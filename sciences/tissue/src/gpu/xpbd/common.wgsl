// Common part of the kernels of the constraint solver. The source before it defines BY_WORLD.

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
    // Greatest displacement of tissue by a tool at rest in a substep [m].
    max_push: f32,
    // Number of points: vertices, then anchor points of attachments.
    n_points: u32,
    n_worlds: u32,
    n_tets: u32,
    // Number of tool slots of each world.
    tool_stride: u32,
    // Steps of impulse per kg m/s.
    impulse_scale: f32,
    // Whether any constraint is damped; whether any tetrahedron can tear.
    is_damped: u32,
    tears: u32,
    // Shares of a patch in the masses of its points.
    patch_weight: f32,
}

// Mass of a point.
struct Mass {
    // Inverse mass [1/kg]; 0 for a fixed point.
    inv_mass: f32,
    // Inverse mass as constraints use it [1/kg].
    split: f32,
    // Factor by which the sum of the corrections is applied.
    share: f32,
    // Mass [kg].
    mass: f32,
}

struct Status {
    // The world stops before this substep.
    stop_at: atomic<u32>,
    // Bits of a speed above the limit; 0 if there is no such speed.
    speed: atomic<u32>,
    // Factors on the modulus of the material and on the damping of dashpots.
    modulus: f32,
    damping: f32,
}

// The hold on a vertex: bits of its position in the frame of the holding tool [m], and the holder. A vertex whose
// elements are all torn is detached: it keeps its position, and tools ignore it.
const FREE = 0u;
const DETACHED = 1u;
// The tool's index is added, and STICKS if infinite friction holds the vertex instead of a grasp.
const HELD = 2u;
const STICKS = 16u;

// Index of the tool of a holder; beyond all tools if there is no holder.
fn tool_of(holder: u32) -> u32 {
    return (holder & (STICKS - 1u)) - HELD;
}

struct Stage {
    first: u32,
    second: u32,
}

var<immediate> stage: Stage;

const GROUP = 64u;

// Index of a point or tetrahedron of a world. Worlds are interleaved, so that neighbouring threads do the same with neighbouring numbers; where
// a workgroup has a world of its own, the numbers of a world are neighbours.
fn index_of(number: u32, world: u32, n_numbers: u32) -> u32 {
    if BY_WORLD {
        return world * n_numbers + number;
    }
    return number * params.n_worlds + world;
}
