// Sort, third: assigns to each block with particles a range of the particles, its chunks, and nodes in the 27
// surrounding blocks.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> worlds: array<World>;
@group(0) @binding(2) var<storage, read> lists: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> occupied: array<u32>;
@group(0) @binding(4) var<storage, read_write> counts: array<u32>;
// For each block of the domain: 0 without nodes, else the index of its nodes plus two.
@group(0) @binding(5) var<storage, read_write> slots: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> active_nodes: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read_write> chunks: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read_write> counters: array<atomic<u32>>;
@group(0) @binding(9) var<storage, read_write> status: array<Status>;

@compute @workgroup_size(32)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.y * groups.x + group.x;
    if index >= lists[0].w {
        return;
    }
    let n = params.n_blocks;
    let key = occupied[index];
    let at = vec3<u32>(key / (n.z * n.y) % n.x, key / n.z % n.y, key % n.z);
    let world = key / (n.x * n.y * n.z);
    if lane == 27u {
        let count = counts[key];
        let first = worlds[world].first + atomicAdd(&counters[4u + 2u * world + 1u], count);
        counts[key] = first;
        let n_chunks = (count + GROUP - 1u) / GROUP;
        let chunk = atomicAdd(&counters[2], n_chunks);
        for (var i = 0u; i < n_chunks; i++) {
            let start = first + i * GROUP;
            chunks[chunk + i] = vec4<u32>(world, pack(at), start, min(start + GROUP, first + count));
        }
    }
    if lane >= 27u {
        return;
    }
    // One less along each axis. An index before the domain wraps to a value far beyond it.
    let near = at + vec3<u32>(lane / 9u, lane / 3u % 3u, lane % 3u) - 1u;
    if any(near >= n) {
        return;
    }
    let near_key = key_of(world, near, n);
    if atomicMax(&slots[near_key], 1u) != 0u {
        return;
    }
    let place = atomicAdd(&counters[4u + 2u * world], 1u);
    if place >= params.quota {
        atomicOr(&status[world].flags, FULL);
        atomicStore(&status[world].stop_at, 0u);
        return;
    }
    let slot = world * params.quota + place;
    atomicStore(&slots[near_key], slot + 2u);
    active_nodes[atomicAdd(&counters[1], 1u)] = vec2<u32>(slot, pack(near));
}
