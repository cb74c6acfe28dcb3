// Volume constraint C = V - V0 of a tetrahedron, with compliance and damping: the same as `xpbd/volume.rs`.

// Pushes [kg m] on the four corners, given edges from the first corner [m], inverse masses [1/kg], and how far the corners have come [m].
fn volume(tet: Tet, p: mat3x3<f32>, w: vec4<f32>, moved: mat4x3<f32>) -> mat4x3<f32> {
    let g1 = cross(p[1], p[2]) / 6.0;
    let g2 = cross(p[2], p[0]) / 6.0;
    let g3 = cross(p[0], p[1]) / 6.0;
    let g0 = -(g1 + g2 + g3);
    var sum = dot(w, vec4<f32>(dot(g0, g0), dot(g1, g1), dot(g2, g2), dot(g3, g3)));
    var wrong = dot(p[0], g1) - tet.volume;
    if params.is_damped != 0u {
        let damping = tet.second * params.rate;
        wrong += damping * (dot(g0, moved[0]) + dot(g1, moved[1]) + dot(g2, moved[2]) + dot(g3, moved[3]));
        sum += damping * sum;
    }
    let step = -wrong / max(sum + tet.first * (params.rate * params.rate), 1e-20);
    return mat4x3<f32>(g0 * step, g1 * step, g2 * step, g3 * step);
}
