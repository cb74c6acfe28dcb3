// Where weights are taken: at current positions, or at those at rest (`TOTAL`), which then never change.

// Row of displacements with weights at rest.
const DISPLACEMENT_ROW = 7u;

// Displacement of a particle from the position of its weights, in cells.
fn displacement(i: u32) -> vec3<f32> {
    if TOTAL {
        return particles[DISPLACEMENT_ROW * params.n_particles + i].xyz;
    }
    return vec3<f32>(0.0);
}
