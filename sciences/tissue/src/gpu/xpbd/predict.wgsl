// Before a step: predicts positions, releases vertices of tools that were removed or are no longer sticky, and starts
// worlds that have not stopped and are to move.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> masses: array<Mass>;
@group(0) @binding(2) var<storage, read> positions: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> velocities: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> n_tools: array<u32>;
@group(0) @binding(5) var<storage, read> tools: array<Tool>;
@group(0) @binding(6) var<storage, read_write> predicted: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> holds: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read_write> status: array<Status>;

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
    if i < params.n_worlds {
        let rests = atomicLoad(&status[i].speed) != 0u || n_tools[i] >= RESTS;
        atomicStore(&status[i].stop_at, select(stage.first, 0u, rests));
    }
    let world = i % params.n_worlds;
    if n_tools[world] < RESTS && atomicLoad(&status[world].speed) == 0u {
        release(i / params.n_worlds, world);
    }
    var displacement = vec3<f32>(0.0);
    if masses[i / params.n_worlds].inv_mass > 0.0 {
        displacement = params.dt * (velocities[i].xyz + params.delta_v);
    }
    predicted[i] = vec4<f32>(positions[i].xyz + displacement, 0.0);
}
