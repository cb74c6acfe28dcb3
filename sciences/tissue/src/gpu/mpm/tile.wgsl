// The nodes around a block of particles in shared memory: nodes -1 to 6 of the block along each axis. For kernels whose
// workgroups have up to 128 particles of one block each.
//
// Sums of momentum and mass are fixed-point, so their order does not matter. They are added to the grid once for all
// particles of a workgroup. A momentum is two numbers; the first is in 65536 units.

// Nodes of a tile.
const TILE = 512u;
const NONE = 0xffffffffu;
// Limit of the momentum that a particle may contribute, over its mass, in cells per substep: as in `layout.rs`.
const P2G_CELLS = 8.0;

var<workgroup> neighbours: array<u32, 27>;
// High words of momentum, mass, low words of momentum.
var<workgroup> sums: array<atomic<i32>, 3584>;

// Looks up the 27 surrounding blocks in the grid.
fn find_neighbours(lane: u32, world: u32, block: vec3<u32>) {
    if lane >= 27u {
        return;
    }
    let neighbour = block + vec3<u32>(lane / 9u, lane / 3u % 3u, lane % 3u) - 1u;
    var slot = NONE;
    if all(neighbour < params.n_blocks) {
        let found = slots[key_of(world, neighbour, params.n_blocks)];
        if found >= 2u {
            slot = found - 2u;
        }
    }
    neighbours[lane] = slot;
}

// Index in the grid of a node of the tile; NONE if it is not allocated.
fn grid_index(node: u32) -> u32 {
    let at = vec3<u32>(node / 64u, node / 8u % 8u, node % 8u) + 3u;
    let part = at / 4u;
    let inner = at % 4u;
    let slot = neighbours[(part.x * 3u + part.y) * 3u + part.z];
    if slot == NONE {
        return NONE;
    }
    return slot * 64u + (inner.x * 4u + inner.y) * 4u + inner.z;
}

struct Weights {
    x: vec3<f32>,
    y: vec3<f32>,
    z: vec3<f32>,
    // Offset of the first of three nodes, negative.
    offset: vec3<f32>,
    // Index of that node in the tile.
    node: u32,
    is_inside: bool,
}

fn bspline_weights(f: f32) -> vec3<f32> {
    let before = 1.5 - f;
    let middle = f - 1.0;
    let after = f - 0.5;
    return vec3<f32>(0.5 * before * before, 0.75 - middle * middle, 0.5 * after * after);
}

fn compute_weights(position: vec3<f32>, origin: vec3<f32>) -> Weights {
    let in_tile = position - (origin - 1.0);
    let base = floor(in_tile - 0.5);
    // A particle outside the tile reads some node in it; the result is discarded.
    let within = clamp(base, vec3<f32>(0.0), vec3<f32>(5.0));
    let f = in_tile - base;
    let first = vec3<u32>(within);
    let node = (first.x * 8u + first.y) * 8u + first.z;
    return Weights(bspline_weights(f.x), bspline_weights(f.y), bspline_weights(f.z), -f, node, all(base == within));
}

// Limit of the momentum that a particle may contribute in a substep, over its mass [m/s].
fn p2g_limit(dt: f32) -> f32 {
    return P2G_CELLS * params.cell_width / dt;
}

// Bits of the greatest absolute value of three numbers. NaN is greatest.
fn max_abs_bits(numbers: vec3<f32>) -> u32 {
    let bits = bitcast<vec3<u32>>(numbers) & vec3<u32>(0x7fffffffu);
    return max(bits.x, max(bits.y, bits.z));
}

fn clear_sums(lane: u32) {
    // The same loop bounds in all lanes, so that compilers unroll it.
    for (var i = 0u; i < 28u; i++) {
        atomicStore(&sums[i * GROUP + lane], 0);
    }
}

fn add_to_node(node: u32, value: vec4<f32>) {
    let high = floor(value.xyz / 65536.0);
    let low = vec3<i32>(value.xyz - high * 65536.0 + 0.5);
    let whole = vec3<i32>(high);
    atomicAdd(&sums[node], whole.x);
    atomicAdd(&sums[TILE + node], whole.y);
    atomicAdd(&sums[2u * TILE + node], whole.z);
    atomicAdd(&sums[3u * TILE + node], i32(round(value.w)));
    atomicAdd(&sums[4u * TILE + node], low.x);
    atomicAdd(&sums[5u * TILE + node], low.y);
    atomicAdd(&sums[6u * TILE + node], low.z);
}

fn p2g_row(node: u32, weight: f32, at_first: vec4<f32>, step: vec4<f32>, z: vec3<f32>) {
    let second = at_first + step;
    add_to_node(node, (weight * z.x) * at_first);
    add_to_node(node + 1u, (weight * z.y) * second);
    add_to_node(node + 2u, (weight * z.z) * (second + step));
}

fn p2g_plane(node: u32, weight: f32, at_first: vec4<f32>, q: array<vec4<f32>, 3>, w: Weights) {
    let second = at_first + q[1];
    p2g_row(node, weight * w.y.x, at_first, q[2], w.z);
    p2g_row(node + 8u, weight * w.y.y, second, q[2], w.z);
    p2g_row(node + 16u, weight * w.y.z, second + q[1], q[2], w.z);
}

// Adds the momentum and mass of a particle [units], and their gradients per cell along each axis, to the 27 nodes
// around it.
fn p2g_affine(own: vec4<f32>, columns: array<vec4<f32>, 3>, w: Weights) {
    let first_offset = columns[0] * w.offset.x + columns[1] * w.offset.y + columns[2] * w.offset.z;
    let at_first = own + first_offset;
    let second = at_first + columns[0];
    p2g_plane(w.node, w.x.x, at_first, columns, w);
    p2g_plane(w.node + 64u, w.x.y, second, columns, w);
    p2g_plane(w.node + 128u, w.x.z, second + columns[0], columns, w);
}

// Adds the sums to the grid.
fn flush_sums(lane: u32) {
    for (var i = 0u; i < 4u; i++) {
        let node = i * GROUP + lane;
        let to = grid_index(node);
        if to == NONE {
            continue;
        }
        let mass = atomicLoad(&sums[3u * TILE + node]);
        if mass != 0 {
            atomicAdd(&momenta[8u * to + 3u], mass);
        }
        for (var axis = 0u; axis < 3u; axis++) {
            let low = atomicLoad(&sums[(4u + axis) * TILE + node]);
            let high = atomicLoad(&sums[axis * TILE + node]) + (low >> 16u);
            if high != 0 {
                atomicAdd(&momenta[8u * to + axis], high);
            }
            if (low & 65535) != 0 {
                atomicAdd(&momenta[8u * to + 4u + axis], low & 65535);
            }
        }
    }
}
