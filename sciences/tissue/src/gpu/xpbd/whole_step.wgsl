// Substeps of worlds, a workgroup for each world: the same as `predict.wgsl`, Gauss-Seidel sweeps, `update.wgsl` and `face.wgsl` in turn, in one
// dispatch. The source before it defines THREADS, N_POINTS, and FIRST_FACE_COLOR and N_FACE_COLORS.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> masses: array<Mass>;
// First item and end of each colour: of each kind of constraints, then of faces.
@group(0) @binding(2) var<storage, read> color_starts: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> faces: array<Face>;
@group(0) @binding(4) var<storage, read> n_tools: array<u32>;
@group(0) @binding(5) var<storage, read> tools: array<Tool>;
@group(0) @binding(6) var<storage, read_write> positions: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> velocities: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read_write> holds: array<vec4<u32>>;
@group(0) @binding(9) var<storage, read_write> status: array<Status>;
@group(0) @binding(10) var<storage, read_write> impulses: array<atomic<u32>>;

// Positions during a sweep [m].
var<workgroup> moved: array<f32, 3 * N_POINTS>;
// Whether the world stops.
var<workgroup> stops: u32;

fn position(point: u32, world: u32) -> vec3<f32> {
    return vec3<f32>(moved[3u * point], moved[3u * point + 1u], moved[3u * point + 2u]);
}

fn move_to(point: u32, x: vec3<f32>) {
    moved[3u * point] = x.x;
    moved[3u * point + 1u] = x.y;
    moved[3u * point + 2u] = x.z;
}

fn predicted_position(point: u32, world: u32) -> vec3<f32> {
    return positions[index_of(point, world, params.n_points)].xyz + coasted(point, world);
}

// Displacement of a point in this substep [m].
fn displacement(point: u32, world: u32) -> vec3<f32> {
    return coasted(point, world) + (position(point, world) - predicted_position(point, world));
}

fn corrected(point: u32, world: u32, p: vec3<f32>, mass: Mass) -> vec3<f32> {
    return position(point, world);
}

// The next substep predicts positions by itself.
fn begin_substep(i: u32, p: vec3<f32>) {}

// No constraint tears.
fn is_alive(first_tet: u32, end_tet: u32, world: u32) -> bool {
    return true;
}

// Whether the world has stopped before a substep.
fn is_over(lane: u32, world: u32, substep: u32) -> bool {
    if lane == 0u {
        stops = select(0u, 1u, substep >= atomicLoad(&status[world].stop_at));
    }
    return workgroupUniformLoad(&stops) != 0u;
}

// Immediates: the first substep of this dispatch, and the number of substeps of the step.
@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let world = group.y * groups.x + group.x;
    if world >= params.n_worlds {
        return;
    }
    let first = stage.first;
    let end = min(first + SUBSTEPS_AT_ONCE, stage.second);
    if first == 0u {
        let rests = n_tools[world] >= RESTS || atomicLoad(&status[world].speed) != 0u;
        storageBarrier();
        if lane == 0u {
            atomicStore(&status[world].stop_at, select(stage.second, 0u, rests));
        }
        if !rests {
            for (var point = lane; point < params.n_points; point += THREADS) {
                release(point, world);
            }
        }
        storageBarrier();
    }
    for (var substep = first; substep < end; substep++) {
        if is_over(lane, world, substep) {
            break;
        }
        for (var point = lane; point < params.n_points; point += THREADS) {
            move_to(point, predicted_position(point, world));
        }
        workgroupBarrier();
        sweeps(lane, world);
        for (var point = lane; point < params.n_points; point += THREADS) {
            update_point(point, world, substep);
        }
        storageBarrier();
        for (var color = FIRST_FACE_COLOR; color < FIRST_FACE_COLOR + N_FACE_COLORS; color++) {
            let last = color_starts[color].y;
            for (var number = color_starts[color].x + lane; number < last; number += THREADS) {
                touch_face(number, world, substep);
            }
            storageBarrier();
        }
    }
}
