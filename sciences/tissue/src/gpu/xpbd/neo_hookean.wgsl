// The stable neo-Hookean law as two constraints of a tetrahedron, solved at once (Macklin and Mueller 2021, doi:10.1145/3487983.3488289):
//     C_H = det F - 1 - mu / lambda, alpha_H = 1 / (lambda V),    C_D = sqrt(tr F^T F), alpha_D = 1 / (mu V).
// The same as `xpbd/constraints/neo_hookean.rs`, equations times K = 1 / alpha~.

struct Constraint {
    points: vec4<u32>,
    // Rows of the inverse of the edges at rest [1/m]; volume at rest [m^3].
    row_1: vec3<f32>,
    volume: f32,
    // J at which the hydrostatic constraint is met.
    row_2: vec3<f32>,
    rest_j: f32,
    // lambda V and mu V [J].
    row_3: vec3<f32>,
    hydrostatic_stiffness: f32,
    deviatoric_stiffness: f32,
    first_tet: u32,
    end_tet: u32,
}

fn solve(number: u32, world: u32) {
    var it = constraints[number];
    it.hydrostatic_stiffness *= status[world].modulus;
    it.deviatoric_stiffness *= status[world].modulus;
    let v = it.points;
    var correction = mat4x3<f32>();
    if is_alive(it.first_tet, it.end_tet, world) {
        let x0 = position(v.x, world);
        let p = mat3x3<f32>(position(v.y, world) - x0, position(v.z, world) - x0, position(v.w, world) - x0);
        let w = vec4<f32>(masses[v.x].split, masses[v.y].split, masses[v.z].split, masses[v.w].split);
        correction = correct(it, p, w);
    }
    for (var k = 0u; k < 4u; k++) {
        write_correction(4u * number + k, world, correction[k]);
    }
}

// Gradients times delta lambda, given edges from the first point [m] and inverse masses [1/kg].
fn correct(it: Constraint, p: mat3x3<f32>, w: vec4<f32>) -> mat4x3<f32> {
    // C_H and its gradients
    let per_volume = (1.0 / 6.0) / max(it.volume, 1e-30);
    let h1 = cross(p[1], p[2]) * per_volume;
    let h2 = cross(p[2], p[0]) * per_volume;
    let h3 = cross(p[0], p[1]) * per_volume;
    let h0 = -(h1 + h2 + h3);
    let constraint_h = dot(p[0], h1) - it.rest_j;

    // C_D and its gradients: F b / C_D
    let f = p * transpose(mat3x3<f32>(it.row_1, it.row_2, it.row_3));
    let trace = dot(f[0], f[0]) + dot(f[1], f[1]) + dot(f[2], f[2]);
    let constraint_d = sqrt(max(trace, 1e-12));
    let d1 = (f * it.row_1) / constraint_d;
    let d2 = (f * it.row_2) / constraint_d;
    let d3 = (f * it.row_3) / constraint_d;
    let d0 = -(d1 + d2 + d3);

    // A = grad C M^-1 grad C^T
    let a_hh = dot(w, vec4<f32>(dot(h0, h0), dot(h1, h1), dot(h2, h2), dot(h3, h3)));
    let a_dd = dot(w, vec4<f32>(dot(d0, d0), dot(d1, d1), dot(d2, d2), dot(d3, d3)));
    let a_hd = dot(w, vec4<f32>(dot(h0, d0), dot(h1, d1), dot(h2, d2), dot(h3, d3)));

    // (K A + I) delta lambda = -K C
    let k_h = it.hydrostatic_stiffness * (params.dt * params.dt);
    let k_d = it.deviatoric_stiffness * (params.dt * params.dt);
    let right_h = -k_h * constraint_h;
    let right_d = -k_d * constraint_d;
    let m_hh = k_h * a_hh + 1.0;
    let m_dd = k_d * a_dd + 1.0;
    let m_hd = k_h * a_hd;
    let m_dh = k_d * a_hd;
    // A is positive semidefinite, so the determinant is at least 1 up to rounding.
    let determinant = max(m_hh * m_dd - m_hd * m_dh, 1.0);
    let delta_lambda_h = (m_dd * right_h - m_hd * right_d) / determinant;
    let delta_lambda_d = (m_hh * right_d - m_dh * right_h) / determinant;
    return mat4x3<f32>(
        h0 * delta_lambda_h + d0 * delta_lambda_d,
        h1 * delta_lambda_h + d1 * delta_lambda_d,
        h2 * delta_lambda_h + d2 * delta_lambda_d,
        h3 * delta_lambda_h + d3 * delta_lambda_d,
    );
}
