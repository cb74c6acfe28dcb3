// Contact of faces with tools: see `touch_face.wgsl`.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> masses: array<Mass>;
@group(0) @binding(2) var<storage, read> faces: array<Face>;
// First face of each colour, and the number of faces.
@group(0) @binding(3) var<storage, read> color_starts: array<u32>;
@group(0) @binding(4) var<storage, read> holds: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> n_tools: array<u32>;
@group(0) @binding(6) var<storage, read> tools: array<Tool>;
@group(0) @binding(7) var<storage, read_write> positions: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read_write> velocities: array<vec4<f32>>;
@group(0) @binding(9) var<storage, read_write> predicted: array<vec4<f32>>;
// Positions during the next sweep, which begins at the predicted ones.
@group(0) @binding(10) var<storage, read_write> moved: array<vec4<f32>>;
@group(0) @binding(11) var<storage, read_write> status: array<Status>;
@group(0) @binding(12) var<storage, read_write> impulses: array<atomic<u32>>;

// The next sweep begins at the predicted position.
fn begin_substep(i: u32, p: vec3<f32>) {
    predicted[i] = vec4<f32>(p, 0.0);
    moved[i] = predicted[i];
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.y * groups.x + group.x) * GROUP + lane;
    let number = color_starts[stage.second] + i / params.n_worlds;
    let world = i % params.n_worlds;
    if number < color_starts[stage.second + 1u] && stage.first < atomicLoad(&status[world].stop_at) {
        touch_face(number, world, stage.first);
    }
}
