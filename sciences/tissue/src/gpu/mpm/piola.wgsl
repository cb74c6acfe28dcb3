// Stress where weights are taken: tau, or P = tau F^-T with weights at rest, as in `mpm/transfer.rs`.

// Lower bound of J in the stress: an inverted particle has neither a logarithm nor an inverse.
const LEAST_J = 0.05;

// Rows of F^-T: cofactors over J.
fn inverse_transpose(f: array<vec3<f32>, 3>) -> array<vec3<f32>, 3> {
    let x = cross(f[1], f[2]);
    let scale = 1.0 / max(dot(f[0], x), LEAST_J);
    return array<vec3<f32>, 3>(scale * x, scale * cross(f[2], f[0]), scale * cross(f[0], f[1]));
}

// Rows of the stress: the elastic one plus viscosity times the rate of strain, with C the gradient of velocity by the
// positions of weights.
fn stress_at_weights(
    tau: Symmetric,
    c: array<vec3<f32>, 3>,
    f: array<vec3<f32>, 3>,
    viscosity: f32,
) -> array<vec3<f32>, 3> {
    var gradient = c;
    var inverse = f;
    if TOTAL {
        inverse = inverse_transpose(f);
        for (var row = 0u; row < 3u; row++) {
            gradient[row] = vec3<f32>(dot(c[row], inverse[0]), dot(c[row], inverse[1]), dot(c[row], inverse[2]));
        }
    }
    let g = gradient;
    let diagonal = tau.diagonal + 2.0 * viscosity * vec3<f32>(g[0].x, g[1].y, g[2].z);
    let off = tau.off + viscosity * vec3<f32>(g[0].y + g[1].x, g[0].z + g[2].x, g[1].z + g[2].y);
    var stress = array<vec3<f32>, 3>(
        vec3<f32>(diagonal.x, off.x, off.y),
        vec3<f32>(off.x, diagonal.y, off.z),
        vec3<f32>(off.y, off.z, diagonal.z),
    );
    if TOTAL {
        for (var row = 0u; row < 3u; row++) {
            let s = stress[row];
            stress[row] = s.x * inverse[0] + s.y * inverse[1] + s.z * inverse[2];
        }
    }
    return stress;
}
