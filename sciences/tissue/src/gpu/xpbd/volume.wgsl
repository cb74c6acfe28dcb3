// Volume constraint C = V - V0 of a tetrahedron, with compliance and damping: the same as `xpbd/constraints/volume.rs`.

struct Constraint {
    points: vec4<u32>,
    // At rest [m^3].
    volume: f32,
    // [m^3/Pa]
    compliance: f32,
    // [s]
    damping_time: f32,
    first_tet: u32,
    end_tet: u32,
}

fn solve(number: u32, world: u32) {
    let it = constraints[number];
    let v = it.points;
    var g = mat4x3<f32>();
    var delta_lambda = 0.0;
    if is_alive(it.first_tet, it.end_tet, world) {
        let x0 = position(v.x, world);
        let p1 = position(v.y, world) - x0;
        let p2 = position(v.z, world) - x0;
        let p3 = position(v.w, world) - x0;
        let w = vec4<f32>(masses[v.x].split, masses[v.y].split, masses[v.z].split, masses[v.w].split);
        let g1 = cross(p2, p3) / 6.0;
        let g2 = cross(p3, p1) / 6.0;
        let g3 = cross(p1, p2) / 6.0;
        g = mat4x3<f32>(-(g1 + g2 + g3), g1, g2, g3);
        var denominator = dot(w, vec4<f32>(dot(g[0], g[0]), dot(g1, g1), dot(g2, g2), dot(g3, g3)));
        var constraint = dot(p1, g1) - it.volume;
        if params.is_damped != 0u {
            let gamma = it.damping_time * params.inv_dt;
            constraint += gamma * (dot(g[0], displacement(v.x, world)) + dot(g1, displacement(v.y, world))
                + dot(g2, displacement(v.z, world)) + dot(g3, displacement(v.w, world)));
            denominator += gamma * denominator;
        }
        let compliance = it.compliance * (params.inv_dt * params.inv_dt);
        delta_lambda = -constraint / max(denominator + compliance, 1e-20);
    }
    for (var k = 0u; k < 4u; k++) {
        write_correction(4u * number + k, world, g[k] * delta_lambda);
    }
}
