// Fixed corotated solid: tau = 2 mu (F - R) F^T + lambda (J - 1) J I, with F = R S the polar decomposition.

// Newton steps towards the rotation, as in `elasticity/fixed_corotated.rs`.
const N_NEWTON = 7u;

// Kirchhoff stress [Pa] of the rows of F.
fn kirchhoff(f: array<vec3<f32>, 3>, mu: f32, lambda: f32) -> Symmetric {
    var r = f;
    for (var i = 0u; i < N_NEWTON; i++) {
        // R <- (R + R^-T) / 2 (Higham 1986, doi:10.1137/0907079).
        let x = cross(r[1], r[2]);
        let y = cross(r[2], r[0]);
        let z = cross(r[0], r[1]);
        let j = dot(r[0], x);
        // Keep each entry away from zero with its sign: a flat particle has no inverse.
        let scale = 0.5 * j / max(j * j, 1e-12);
        r[0] = 0.5 * r[0] + scale * x;
        r[1] = 0.5 * r[1] + scale * y;
        r[2] = 0.5 * r[2] + scale * z;
    }
    let j = dot(f[0], cross(f[1], f[2]));
    let pressure = lambda * (j - 1.0) * j;
    let x = f[0] - r[0];
    let y = f[1] - r[1];
    let z = f[2] - r[2];
    return Symmetric(
        2.0 * mu * vec3<f32>(dot(x, f[0]), dot(y, f[1]), dot(z, f[2])) + pressure,
        2.0 * mu * vec3<f32>(dot(x, f[1]), dot(x, f[2]), dot(y, f[2])),
    );
}
