// The stable neo-Hookean law as two constraints of a tetrahedron, solved at once (Macklin and Mueller 2021, doi:10.1145/3487983.3488289):
//     C_H = det F - 1 - mu / lambda, alpha_H = 1 / (lambda V),    C_D = sqrt(tr F^T F), alpha_D = 1 / (mu V).
// The same as `xpbd/neo_hookean.rs`, equations times 1 / alpha~.

// Pushes [kg m] on the four corners, given edges from the first corner [m] and inverse masses [1/kg].
fn neo_hookean(tet: Tet, p: mat3x3<f32>, w: vec4<f32>) -> mat4x3<f32> {
    // C_H and its gradients
    let per_volume = (1.0 / 6.0) / max(tet.volume, 1e-30);
    let h1 = cross(p[1], p[2]) * per_volume;
    let h2 = cross(p[2], p[0]) * per_volume;
    let h3 = cross(p[0], p[1]) * per_volume;
    let h0 = -(h1 + h2 + h3);
    let hydrostatic = dot(p[0], h1) - tet.rest_j;

    // C_D and its gradients: F b / C_D
    let f = p * transpose(mat3x3<f32>(tet.row_1, tet.row_2, tet.row_3));
    let square = dot(f[0], f[0]) + dot(f[1], f[1]) + dot(f[2], f[2]);
    let deviatoric = sqrt(max(square, 1e-12));
    let d1 = (f * tet.row_1) / deviatoric;
    let d2 = (f * tet.row_2) / deviatoric;
    let d3 = (f * tet.row_3) / deviatoric;
    let d0 = -(d1 + d2 + d3);

    let hh = dot(w, vec4<f32>(dot(h0, h0), dot(h1, h1), dot(h2, h2), dot(h3, h3)));
    let dd = dot(w, vec4<f32>(dot(d0, d0), dot(d1, d1), dot(d2, d2), dot(d3, d3)));
    let hd = dot(w, vec4<f32>(dot(h0, d0), dot(h1, d1), dot(h2, d2), dot(h3, d3)));

    // (k A + 1) delta lambda = -k C, k = 1 / alpha~
    let kh = tet.first * (params.dt * params.dt);
    let kd = tet.second * (params.dt * params.dt);
    let rh = -kh * hydrostatic;
    let rd = -kd * deviatoric;
    let m00 = kh * hh + 1.0;
    let m11 = kd * dd + 1.0;
    let m01 = kh * hd;
    let m10 = kd * hd;
    // A is positive semidefinite, so the determinant is at least 1 but for rounding.
    let det = max(m00 * m11 - m01 * m10, 1.0);
    let step_h = (m11 * rh - m01 * rd) / det;
    let step_d = (m00 * rd - m10 * rh) / det;
    return mat4x3<f32>(
        h0 * step_h + d0 * step_d,
        h1 * step_h + d1 * step_d,
        h2 * step_h + d2 * step_d,
        h3 * step_h + d3 * step_d,
    );
}
