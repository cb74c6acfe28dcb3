// Resets the worlds of a list to rest, or restores one world from a gathered state.

@group(0) @binding(0) var<uniform> params: Params;
// Positions at rest, then velocities at the start.
@group(0) @binding(1) var<storage, read> rest: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> listed: array<u32>;
// State of one world: see `gather.wgsl`.
@group(0) @binding(3) var<storage, read> gathered: array<u32>;
@group(0) @binding(4) var<storage, read_write> positions: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> velocities: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> holds: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> alive: array<u32>;
@group(0) @binding(8) var<storage, read_write> status: array<Status>;

fn row(number: u32) -> vec4<u32> {
    let at = 4u * number;
    return vec4<u32>(gathered[at], gathered[at + 1u], gathered[at + 2u], gathered[at + 3u]);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let number = group.x * GROUP + lane;
    let n = params.n_points;
    let is_restored = stage.second != 0u;
    let world = listed[stage.first + group.y];
    if number == 0u {
        // The state includes the bits of the speed that stopped the world.
        atomicStore(&status[world].speed, select(0u, stage.second - 1u, is_restored));
    }
    let i = index_of(number, world, n);
    if number < params.n_tets && params.tears != 0u {
        var is_there = 1u;
        if is_restored {
            is_there = gathered[12u * n + number];
        }
        alive[index_of(number, world, params.n_tets)] = is_there;
    }
    if number >= n {
        return;
    }
    if is_restored {
        positions[i] = bitcast<vec4<f32>>(row(number));
        velocities[i] = bitcast<vec4<f32>>(row(n + number));
        holds[i] = row(2u * n + number);
    } else {
        positions[i] = rest[number];
        velocities[i] = rest[n + number];
        holds[i] = vec4<u32>(0u);
    }
}
