// One kind of constraints in a kernel that makes whole substeps. The source before it defines N_CORRECTIONS of each constraint, CONSTRAINT_POINTS,
// FIRST_COLOR, the first colour of the kind, and N_COLORS, and binds `constraints`; the source after it defines `Constraint` and `solve`.

// Moves the points of a row of this kind's corrections.
fn write_correction(row: u32, world: u32, correction: vec3<f32>) {
    let number = row / N_CORRECTIONS;
    for (var k = row % N_CORRECTIONS; k < CONSTRAINT_POINTS; k += N_CORRECTIONS) {
        let point = constraints[number].points[k];
        // A second point of the same row takes the negative.
        let factor = select(-masses[point].inv_mass, masses[point].inv_mass, k < N_CORRECTIONS);
        move_to(point, position(point, world) + correction * factor);
    }
}

// Constraints of one colour share no point and are solved at once, from the positions that earlier colours have left.
fn sweep(lane: u32, world: u32) {
    for (var color = FIRST_COLOR; color < FIRST_COLOR + N_COLORS; color++) {
        let end = color_starts[color].y;
        for (var number = color_starts[color].x + lane; number < end; number += THREADS) {
            solve(number, world);
        }
        workgroupBarrier();
    }
}
