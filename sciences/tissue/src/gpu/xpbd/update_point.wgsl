// One substep of one point: its position after its constraints (`corrected`); contact with tools; velocity; and the start of the next substep
// (`begin_substep`). The source before it binds the buffers.

fn greatest(numbers: vec3<f32>) -> u32 {
    let bits = bitcast<vec3<u32>>(numbers) & vec3<u32>(0x7fffffffu);
    return max(bits.x, max(bits.y, bits.z));
}

fn update_point(point: u32, world: u32, substep: u32) {
    let mass = masses[point];
    if mass.inv_mass == 0.0 {
        return;
    }
    let i = index_of(point, world, params.n_points);
    let p = predicted_position(point, world);
    let v = velocities[i].xyz + params.delta_v;
    var x = corrected(point, world, p, mass);
    var hold = holds[i];
    if hold.w == DETACHED {
        // It keeps its position, and the impulse that stops it is summed.
        let velocity = (v + (x - p) * params.inv_dt) * params.kept;
        let impulse = velocity * (-params.impulse_scale * mass.mass);
        add_impulse(impulse_slot(world, params.tool_stride), impulse, vec3<f32>(0.0));
        return;
    }

    // x => out of tools, or along with one; momentum to them
    var is_fast = false;
    let impulse_per_metre = params.impulse_scale * mass.mass * params.inv_dt;
    for (var k = 0u; k < n_tools[world]; k++) {
        let tool = moved_on(tools[world * params.tool_stride + k], f32(substep + 1u) * params.dt, 1.0);
        let before = x;
        let arm = x - tool.position;
        let is_near = tool.reach < 0.0 || dot(arm, arm) <= tool.reach * tool.reach;
        if hold.w == FREE && is_near {
            let found = surface(tool, rotate_back(tool.rotation, arm));
            if found.w < 0.0 {
                let normal = rotate(tool.rotation, found.xyz);
                if tool.friction < 0.0 {
                    let at = rotate_back(tool.rotation, arm - normal * found.w);
                    hold = vec4<u32>(bitcast<vec3<u32>>(at), HELD + k + STICKS);
                    holds[i] = hold;
                } else {
                    let displacement = (x - p) + v * params.dt;
                    x += contact_correction(tool, arm, displacement, normal, -found.w);
                }
            }
        }
        if tool_of(hold.w) == k {
            x = tool.position + rotate(tool.rotation, bitcast<vec3<f32>>(hold.xyz));
        }
        if any(x != before) {
            let impulse = (before - x) * impulse_per_metre;
            let fits = add_impulse(impulse_slot(world, k), impulse, cross(x - tool.position, impulse));
            is_fast |= !fits;
        }
    }

    // x => v, p
    let velocity = (v + (x - p) * params.inv_dt) * params.kept;
    positions[i] = vec4<f32>(x, 0.0);
    velocities[i] = vec4<f32>(velocity, 0.0);
    begin_substep(i, x + params.dt * (velocity + params.delta_v));
    let speed = greatest(velocity);
    if is_fast || speed > bitcast<u32>(params.max_speed) {
        atomicMax(&status[world].speed, max(speed, 1u));
        atomicMin(&status[world].stop_at, substep + 1u);
    }
}
