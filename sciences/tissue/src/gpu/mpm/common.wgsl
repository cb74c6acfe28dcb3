// Common part of the kernels of the particle solver. Lengths are in cells from the domain's origin unless their unit is
// metres.

struct Params {
    // Blocks of 4 x 4 x 4 cells along each axis.
    n_blocks: vec3<u32>,
    // Maximum number of node blocks of a world.
    quota: u32,
    // [m/s²]
    gravity: vec3<f32>,
    // [m]
    cell_width: f32,
    // Distance from a tool below which a node moves with it [m].
    contact_distance: f32,
    // Two bits for each wall: low x, high x, low y, ...
    walls: u32,
    // Number of tool slots of each world.
    tool_stride: u32,
    n_particles: u32,
    n_worlds: u32,
    // Rows of four numbers of a particle.
    n_rows: u32,
    // 0 if only tools of infinite friction act on nodes.
    pushes_nodes: u32,
    pad_0: u32,
}

struct World {
    first: u32,
    n: u32,
    n_tools: u32,
    // Capacity of a node in mass.
    most_mass: u32,
    // Fixed-point units of mass and momentum per kg and kg m/s: powers of two.
    mass_scale: f32,
    momentum_scale: f32,
    // Length of its substeps [s].
    dt: f32,
    // Number of substeps of the step; 0 if the world does not move.
    n_substeps: u32,
    // Factors of the moduli and viscosities of its materials.
    modulus: f32,
    viscosity: f32,
    pad_0: u32,
    pad_1: u32,
}

struct Status {
    // The world runs the substeps from start_at to before stop_at.
    start_at: u32,
    stop_at: atomic<u32>,
    flags: atomic<u32>,
    // Bits of the greatest speed along an axis. The bits of NaN are greater than those of any number.
    speed: atomic<u32>,
}

const FAST = 1u;
const LEFT = 2u;
const DENSE = 4u;
const FULL = 8u;
const ASTRAY = 16u;

struct Stage {
    first: u32,
    second: u32,
}

var<immediate> stage: Stage;

const GROUP = 128u;
const G2P = 1u;
const P2G = 2u;

fn pack(at: vec3<u32>) -> u32 {
    return at.x | (at.y << 10u) | (at.z << 20u);
}

fn unpack(packed: u32) -> vec3<u32> {
    return vec3<u32>(packed & 1023u, (packed >> 10u) & 1023u, packed >> 20u);
}

fn key_of(world: u32, at: vec3<u32>, n: vec3<u32>) -> u32 {
    return ((world * n.x + at.x) * n.y + at.y) * n.z + at.z;
}
