// Corrections of all tetrahedra, then of all edges, from the same positions: each is computed once, and written down for its vertices.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> masses: array<Mass>;
@group(0) @binding(2) var<storage, read> tets: array<Tet>;
@group(0) @binding(3) var<storage, read> edges: array<Edge>;
// Tetrahedra around edges.
@group(0) @binding(4) var<storage, read> edge_tets: array<u32>;
@group(0) @binding(5) var<storage, read> predicted: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read> velocities: array<vec4<f32>>;
// 1: a tetrahedron is there, 0: it is torn. Only where any can tear.
@group(0) @binding(7) var<storage, read> alive: array<u32>;
// Three numbers for each corner of a tetrahedron, then for each edge, of all worlds.
@group(0) @binding(8) var<storage, read_write> pushes: array<f32>;
@group(0) @binding(9) var<storage, read_write> status: array<Status>;

// How far a point has come in this substep [m].
fn moved_by(point: u32, world: u32) -> vec3<f32> {
    let faster = params.dt * (velocities[point * params.n_worlds + world].xyz + params.kick);
    return select(vec3<f32>(0.0), faster, masses[point].inverse > 0.0);
}

fn write_push(row: u32, world: u32, push: vec3<f32>) {
    for (var axis = 0u; axis < 3u; axis++) {
        pushes[(3u * row + axis) * params.n_worlds + world] = push[axis];
    }
}

fn correct_tet(number: u32, world: u32) {
    var found = mat4x3<f32>();
    if params.tears == 0u || alive[number * params.n_worlds + world] != 0u {
        let n = params.n_worlds;
        let tet = tets[number];
        let v = tet.vertices;
        let x0 = predicted[v.x * n + world].xyz;
        let p = mat3x3<f32>(
            predicted[v.y * n + world].xyz - x0,
            predicted[v.z * n + world].xyz - x0,
            predicted[v.w * n + world].xyz - x0,
        );
        let w = vec4<f32>(masses[v.x].split, masses[v.y].split, masses[v.z].split, masses[v.w].split);
        if tet.law == NEO_HOOKEAN {
            found = neo_hookean(tet, p, w);
        } else {
            var moved = mat4x3<f32>();
            if params.is_damped != 0u {
                moved = mat4x3<f32>(
                    moved_by(v.x, world),
                    moved_by(v.y, world),
                    moved_by(v.z, world),
                    moved_by(v.w, world),
                );
            }
            found = volume(tet, p, w, moved);
        }
    }
    for (var corner = 0u; corner < 4u; corner++) {
        write_push(4u * number + corner, world, found[corner]);
    }
}

// Whether an edge is no one's, or any of the tetrahedra around it is left.
fn is_there(edge: Edge, world: u32) -> bool {
    if params.tears == 0u || edge.first_tet == edge.last_tet {
        return true;
    }
    for (var k = edge.first_tet; k < edge.last_tet; k++) {
        if alive[edge_tets[k] * params.n_worlds + world] != 0u {
            return true;
        }
    }
    return false;
}

fn correct_edge(number: u32, world: u32) {
    let edge = edges[number];
    var push = vec3<f32>(0.0);
    if is_there(edge, world) {
        let v = edge.vertices;
        let x0 = predicted[v.x * params.n_worlds + world].xyz;
        let x1 = predicted[v.y * params.n_worlds + world].xyz;
        let w = vec2<f32>(masses[v.x].split, masses[v.y].split);
        var moved = vec3<f32>(0.0);
        if params.is_damped != 0u {
            moved = moved_by(v.y, world) - moved_by(v.x, world);
        }
        push = distance_push(edge, x1 - x0, w, moved);
    }
    write_push(4u * params.n_tets + number, world, push);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.y * groups.x + group.x) * GROUP + lane;
    let number = i / params.n_worlds;
    let world = i % params.n_worlds;
    if number >= params.n_tets + params.n_edges || stage.first >= atomicLoad(&status[world].stop_at) {
        return;
    }
    if number < params.n_tets {
        correct_tet(number, world);
    } else {
        correct_edge(number - params.n_tets, world);
    }
}
