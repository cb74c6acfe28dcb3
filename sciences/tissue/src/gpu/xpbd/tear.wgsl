// After a substep: tetrahedra whose greatest principal stretch is above their threshold are torn.
//
// The greatest eigenvalue of C = F^T F is above s^2 if s^2 - C is not positive definite, which follows from its leading
// minors (Sylvester).

struct Tet {
    vertices: vec4<u32>,
    // Rows of the inverse of the edges at rest [1/m]; square of the stretch above which it tears, negative if it never
    // tears.
    row_1: vec3<f32>,
    tear_stretch: f32,
    row_2: vec3<f32>,
    row_3: vec3<f32>,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> tets: array<Tet>;
@group(0) @binding(2) var<storage, read> positions: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> alive: array<u32>;
@group(0) @binding(4) var<storage, read_write> status: array<Status>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.y * groups.x + group.x) * GROUP + lane;
    let n = params.n_worlds;
    let number = i / n;
    let world = i % n;
    if number >= params.n_tets || stage.first >= atomicLoad(&status[world].stop_at) || alive[i] == 0u {
        return;
    }
    let tet = tets[number];
    if tet.tear_stretch < 0.0 {
        return;
    }
    let v = tet.vertices;
    let x0 = positions[v.x * n + world].xyz;
    let p = mat3x3<f32>(
        positions[v.y * n + world].xyz - x0,
        positions[v.z * n + world].xyz - x0,
        positions[v.w * n + world].xyz - x0,
    );
    let f = p * transpose(mat3x3<f32>(tet.row_1, tet.row_2, tet.row_3));
    let xx = tet.tear_stretch - dot(f[0], f[0]);
    let yy = tet.tear_stretch - dot(f[1], f[1]);
    let zz = tet.tear_stretch - dot(f[2], f[2]);
    let xy = dot(f[0], f[1]);
    let xz = dot(f[0], f[2]);
    let yz = dot(f[1], f[2]);
    let second = xx * yy - xy * xy;
    // Off-diagonal entries of s^2 - C are those of -C.
    let third = zz * second - xx * yz * yz - yy * xz * xz - 2.0 * xy * xz * yz;
    if xx < 0.0 || second < 0.0 || third < 0.0 {
        alive[i] = 0u;
    }
}
