// Constraints of one kind. A source after this one defines `Constraint` and `solve`, and `jacobi.wgsl` or `gauss_seidel.wgsl` the positions that
// it reads and where its corrections go. The source before it defines N_CONSTRAINTS, N_CORRECTIONS of each constraint, CONSTRAINT_POINTS, and
// FIRST_ROW, the first row of corrections of the kind.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> masses: array<Mass>;
@group(0) @binding(2) var<storage, read> constraints: array<Constraint>;
// Tetrahedra of the constraints. A constraint is torn when all of its tetrahedra are torn.
@group(0) @binding(3) var<storage, read> constraint_tets: array<u32>;
@group(0) @binding(4) var<storage, read> predicted: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> velocities: array<vec4<f32>>;
// 1 for an intact tetrahedron, 0 for a torn one. Only used if any can tear.
@group(0) @binding(6) var<storage, read> alive: array<u32>;
@group(0) @binding(7) var<storage, read_write> status: array<Status>;

// Whether a constraint can never tear, or has an intact tetrahedron.
fn is_alive(first_tet: u32, end_tet: u32, world: u32) -> bool {
    if params.tears == 0u || first_tet == end_tet {
        return true;
    }
    for (var k = first_tet; k < end_tet; k++) {
        if alive[constraint_tets[k] * params.n_worlds + world] != 0u {
            return true;
        }
    }
    return false;
}
