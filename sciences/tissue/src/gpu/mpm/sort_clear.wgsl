// Sort, first: clears nodes and blocks of the last sort.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> active_nodes: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> lists: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> momenta: array<vec4<i32>>;
@group(0) @binding(4) var<storage, read_write> counts: array<u32>;
@group(0) @binding(5) var<storage, read_write> slots: array<u32>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.y * groups.x + group.x;
    if index >= lists[1].w {
        return;
    }
    let entry = active_nodes[index];
    let node = 2u * (entry.x * 64u + lane);
    momenta[node] = vec4<i32>(0);
    momenta[node + 1u] = vec4<i32>(0);
    if lane == 0u {
        let key = key_of(entry.x / params.quota, unpack(entry.y), params.n_blocks);
        counts[key] = 0u;
        slots[key] = 0u;
    }
}
