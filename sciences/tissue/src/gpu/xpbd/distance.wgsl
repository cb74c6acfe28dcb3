// Distance constraint C = |x1 - x0| - L with compliance and damping, or a dashpot: the same as `xpbd/constraints/distance.rs`.

struct Constraint {
    @align(16) points: vec2<u32>,
    // At rest [m].
    length: f32,
    // 1; 0 for a dashpot.
    stiffness: f32,
    // [m/N]
    compliance: f32,
    // Damping of a spring [s], and of a dashpot [N s/m].
    damping_time: f32,
    damping: f32,
    first_tet: u32,
    end_tet: u32,
}

// The first point takes the correction, and the second its negative.
fn solve(number: u32, world: u32) {
    let it = constraints[number];
    var correction = vec3<f32>(0.0);
    if is_alive(it.first_tet, it.end_tet, world) {
        let edge = position(it.points.y, world) - position(it.points.x, world);
        let w0 = masses[it.points.x].split;
        let w1 = masses[it.points.y].split;
        let length = sqrt(dot(edge, edge) + 1e-24);
        var constraint = length - it.length;
        var compliance = it.compliance * (params.inv_dt * params.inv_dt);
        var factor = 1.0;
        if params.is_damped != 0u {
            compliance += 1.0 - it.stiffness;
            let gamma = it.damping * status[world].damping * params.dt + it.damping_time * params.inv_dt;
            let elongation = displacement(it.points.y, world) - displacement(it.points.x, world);
            constraint = gamma * (dot(edge, elongation) / length) + it.stiffness * constraint;
            factor = it.stiffness + gamma;
        }
        let denominator = factor * (w0 + w1) + compliance;
        correction = edge * (constraint / max(denominator, 1e-12) / length);
    }
    write_correction(number, world, correction);
}
