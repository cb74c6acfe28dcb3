// Sort, in between: number of workgroups for the dispatches over a list.

@group(0) @binding(0) var<storage, read_write> counters: array<u32>;
@group(0) @binding(1) var<storage, read_write> lists: array<vec4<u32>>;

const MAX_GROUPS = 32768u;

@compute @workgroup_size(1)
fn main() {
    for (var i = stage.first; i < stage.second; i++) {
        let n = counters[i];
        let x = min(n, MAX_GROUPS);
        lists[i] = vec4<u32>(x, (n + MAX_GROUPS - 1u) / MAX_GROUPS, 1u, n);
    }
}
