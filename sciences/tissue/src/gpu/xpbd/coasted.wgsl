// Displacement of a point by its velocity in this substep [m].
fn coasted(point: u32, world: u32) -> vec3<f32> {
    let step = params.dt * (velocities[index_of(point, world, params.n_points)].xyz + params.delta_v);
    return select(vec3<f32>(0.0), step, masses[point].inv_mass > 0.0);
}
