// One substep of the points: see `update_point.wgsl`. `corrected` and `begin_substep` are in `jacobi_point.wgsl` and `gauss_seidel_point.wgsl`.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> masses: array<Mass>;
@group(0) @binding(2) var<storage, read_write> positions: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> velocities: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> predicted: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> holds: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> status: array<Status>;
@group(0) @binding(7) var<storage, read> n_tools: array<u32>;
@group(0) @binding(8) var<storage, read> tools: array<Tool>;
// Impulse on each tool of each world: force and torque, three numbers of 64 bits each; then the impulse on detached
// vertices.
@group(0) @binding(9) var<storage, read_write> impulses: array<atomic<u32>>;

fn predicted_position(point: u32, world: u32) -> vec3<f32> {
    return predicted[index_of(point, world, params.n_points)].xyz;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.y * groups.x + group.x) * GROUP + lane;
    if i >= params.n_points * params.n_worlds {
        return;
    }
    let point = i / params.n_worlds;
    let world = i % params.n_worlds;
    if stage.first < atomicLoad(&status[world].stop_at) {
        update_point(point, world, stage.first);
    }
}
