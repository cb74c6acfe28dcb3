// The stable neo-Hookean law of a patch of tetrahedra by their mean deformation gradient, F = sum (x_i - x_0) g_i^T: the same as
// `xpbd/constraints/patch.rs`, equations times K = 1 / alpha~.

const N_POINTS = 8u;

struct Constraint {
    points: array<u32, 8>,
    // Gradients of the points but the first [1/m].
    gradients: array<f32, 21>,
    // J at which the hydrostatic constraint is met.
    rest_j: f32,
    // lambda V and mu V [J].
    hydrostatic_stiffness: f32,
    deviatoric_stiffness: f32,
    first_tet: u32,
    end_tet: u32,
    unused: array<u32, 2>,
}

fn solve(number: u32, world: u32) {
    let is_there = is_alive(constraints[number].first_tet, constraints[number].end_tet, world);
    // F
    let x0 = position(constraints[number].points[0], world);
    var f = mat3x3<f32>();
    for (var i = 1u; i < N_POINTS; i++) {
        let p = position(constraints[number].points[i], world) - x0;
        let g = gradient(number, i);
        f += mat3x3<f32>(p * g.x, p * g.y, p * g.z);
    }
    let cofactors = mat3x3<f32>(cross(f[1], f[2]), cross(f[2], f[0]), cross(f[0], f[1]));
    let constraint_h = dot(f[0], cofactors[0]) - constraints[number].rest_j;
    let trace = dot(f[0], f[0]) + dot(f[1], f[1]) + dot(f[2], f[2]);
    let constraint_d = sqrt(max(trace, 1e-12));
    let direction = f * (1.0 / constraint_d);

    // grad C_H = cof F g, grad C_D = F g / C_D, A = grad C M^-1 grad C^T
    var first = vec3<f32>();
    var a_hh = 0.0;
    var a_dd = 0.0;
    var a_hd = 0.0;
    for (var i = 1u; i <= N_POINTS; i++) {
        // The first point takes the remainder and comes last.
        var g = -first;
        if i < N_POINTS {
            g = gradient(number, i);
            first += g;
        }
        let w = masses[constraints[number].points[i % N_POINTS]].split;
        let h = cofactors * g;
        let d = direction * g;
        a_hh += w * dot(h, h);
        a_dd += w * dot(d, d);
        a_hd += w * dot(h, d);
    }

    a_hh /= params.patch_weight;
    a_dd /= params.patch_weight;
    a_hd /= params.patch_weight;

    // (K A + I) delta lambda = -K C
    let scale = status[world].modulus * (params.dt * params.dt);
    let k_h = constraints[number].hydrostatic_stiffness * scale;
    let k_d = constraints[number].deviatoric_stiffness * scale;
    let right_h = -k_h * constraint_h;
    let right_d = -k_d * constraint_d;
    let m_hh = k_h * a_hh + 1.0;
    let m_dd = k_d * a_dd + 1.0;
    let m_hd = k_h * a_hd;
    let m_dh = k_d * a_hd;
    // A is positive semidefinite, so the determinant is at least 1 up to rounding.
    let determinant = max(m_hh * m_dd - m_hd * m_dh, 1.0);
    let delta_lambda_h = select(0.0, (m_dd * right_h - m_hd * right_d) / determinant, is_there);
    let delta_lambda_d = select(0.0, (m_hh * right_d - m_dh * right_h) / determinant, is_there);
    let along = cofactors * delta_lambda_h + direction * delta_lambda_d;
    write_correction(N_POINTS * number, world, along * -first);
    for (var i = 1u; i < N_POINTS; i++) {
        write_correction(N_POINTS * number + i, world, along * gradient(number, i));
    }
}

fn gradient(number: u32, i: u32) -> vec3<f32> {
    let k = 3u * (i - 1u);
    return vec3<f32>(
        constraints[number].gradients[k],
        constraints[number].gradients[k + 1u],
        constraints[number].gradients[k + 2u],
    );
}
