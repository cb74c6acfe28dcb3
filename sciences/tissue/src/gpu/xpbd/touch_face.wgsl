// Contact of faces with tools, after contact of the points: the same as `xpbd/contact/face.rs`. The deepest point of a face is a point of the
// body, with the compliance of the material beneath the face. Faces of one colour share no point and are solved at once. The source
// before it binds the buffers.

struct Face {
    corners: vec3<u32>,
    // [m/N]
    compliance: f32,
}

// Steps of the search for the deepest point, and the change of the weights that ends it.
const N_STEPS = 32u;
const SETTLED = 2e-3;
// Weight above which the point counts as a corner, which is a point of its own.
const AT_CORNER = 0.999;

// Radius of a ball at the centre of a tool, or of any ball along its axis [m].
fn core(tool: Tool) -> f32 {
    switch tool.kind {
        case SPHERE, CAPSULE: {
            return tool.sizes.x;
        }
        case CYLINDER: {
            return min(tool.sizes.x, tool.sizes.y);
        }
        case CUBOID: {
            return min(tool.sizes.x, min(tool.sizes.y, tool.sizes.z));
        }
        default: {
            return 0.1 * tool.reach;
        }
    }
}

// Weights of the point of a triangle that is nearest to a point (Ericson 2005, Real-Time Collision Detection, section 5.1.5).
fn nearest(corners: mat3x3<f32>, point: vec3<f32>) -> vec3<f32> {
    let ab = corners[1] - corners[0];
    let ac = corners[2] - corners[0];
    let ap = point - corners[0];
    let d1 = dot(ab, ap);
    let d2 = dot(ac, ap);
    if d1 <= 0.0 && d2 <= 0.0 {
        return vec3<f32>(1.0, 0.0, 0.0);
    }
    let bp = point - corners[1];
    let d3 = dot(ab, bp);
    let d4 = dot(ac, bp);
    if d3 >= 0.0 && d4 <= d3 {
        return vec3<f32>(0.0, 1.0, 0.0);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let v = d1 / (d1 - d3);
        return vec3<f32>(1.0 - v, v, 0.0);
    }
    let cp = point - corners[2];
    let d5 = dot(ab, cp);
    let d6 = dot(ac, cp);
    if d6 >= 0.0 && d5 <= d6 {
        return vec3<f32>(0.0, 0.0, 1.0);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let w = d2 / (d2 - d6);
        return vec3<f32>(1.0 - w, 0.0, w);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return vec3<f32>(0.0, 1.0 - w, w);
    }
    return vec3<f32>(va, vb, vc) / (va + vb + vc);
}

// Weights of the deepest point of a triangle in the tool's frame.
fn deepest(tool: Tool, corners: mat3x3<f32>) -> vec3<f32> {
    let radius = core(tool);
    var weights = vec3<f32>(1.0 / 3.0);
    var best = weights;
    var least = 1e30;
    for (var k = 0u; k < N_STEPS; k++) {
        let point = corners * weights;
        let found = surface(tool, point);
        if found.w < least {
            least = found.w;
            best = weights;
        }
        let before = weights;
        weights = nearest(corners, point - found.xyz * (found.w + radius));
        let change = abs(weights - before);
        if max(change.x, max(change.y, change.z)) < SETTLED {
            break;
        }
    }
    return best;
}

// Share of a face that a tool covers by its width.
fn covering(tool: Tool, corners: mat3x3<f32>) -> f32 {
    let radius = core(tool);
    let area = 0.5 * length(cross(corners[1] - corners[0], corners[2] - corners[0]));
    let width = radius * radius / area;
    return width * width / (1.0 + width * width);
}

fn touch_face(number: u32, world: u32, substep: u32) {
    let face = faces[number];
    let at = vec3<u32>(
        index_of(face.corners.x, world, params.n_points),
        index_of(face.corners.y, world, params.n_points),
        index_of(face.corners.z, world, params.n_points),
    );
    if holds[at.x].w != FREE || holds[at.y].w != FREE || holds[at.z].w != FREE {
        return;
    }
    var places = mat3x3<f32>(positions[at.x].xyz, positions[at.y].xyz, positions[at.z].xyz);
    var speeds = mat3x3<f32>(velocities[at.x].xyz, velocities[at.y].xyz, velocities[at.z].xyz);
    let of_corners = array<Mass, 3>(masses[face.corners.x], masses[face.corners.y], masses[face.corners.z]);
    let inv_masses = vec3<f32>(of_corners[0].inv_mass, of_corners[1].inv_mass, of_corners[2].inv_mass);
    var has_moved = false;
    var fits = true;
    for (var k = 0u; k < n_tools[world]; k++) {
        let tool = moved_on(tools[world * params.tool_stride + k], f32(substep + 1u) * params.dt, 1.0);
        let center = (places[0] + places[1] + places[2]) / 3.0;
        let radius = max(length(places[0] - center), max(length(places[1] - center), length(places[2] - center)));
        // The deepest point over a plane is a corner, and infinite friction holds points.
        if tool.kind == HALF_SPACE || tool.friction < 0.0 || distance(center, tool.position) > tool.reach + radius
            || least_distance(tool, rotate_back(tool.rotation, center - tool.position)) > radius {
            continue;
        }
        let corners = mat3x3<f32>(
            rotate_back(tool.rotation, places[0] - tool.position),
            rotate_back(tool.rotation, places[1] - tool.position),
            rotate_back(tool.rotation, places[2] - tool.position),
        );
        let weights = deepest(tool, corners);
        let found = surface(tool, corners * weights);
        let inv_mass = dot(inv_masses, weights * weights);
        if !(found.w < 0.0) || inv_mass == 0.0 || max(weights.x, max(weights.y, weights.z)) > AT_CORNER {
            continue;
        }
        let compliance = face.compliance / status[world].modulus * covering(tool, corners) * (params.inv_dt * params.inv_dt);
        let depth = -found.w * (inv_mass / (inv_mass + compliance));
        let displacement = speeds * weights * (params.dt / params.kept);
        let normal = rotate(tool.rotation, found.xyz);
        let correction = contact_correction(tool, places * weights - tool.position, displacement, normal, depth);
        for (var c = 0u; c < 3u; c++) {
            let change = correction * (inv_masses[c] * weights[c] / inv_mass);
            places[c] += change;
            speeds[c] += change * (params.inv_dt * params.kept);
            let impulse = change * (-params.impulse_scale * of_corners[c].mass * params.inv_dt);
            let moment = cross(places[c] - tool.position, impulse);
            if any(change != vec3<f32>(0.0)) {
                fits &= add_impulse(impulse_slot(world, k), impulse, moment);
            }
        }
        has_moved = true;
    }
    if !has_moved {
        return;
    }
    for (var c = 0u; c < 3u; c++) {
        if inv_masses[c] > 0.0 {
            positions[at[c]] = vec4<f32>(places[c], 0.0);
            velocities[at[c]] = vec4<f32>(speeds[c], 0.0);
            begin_substep(at[c], places[c] + params.dt * (speeds[c] + params.delta_v));
        }
    }
    if !fits {
        atomicMax(&status[world].speed, 1u);
        atomicMin(&status[world].stop_at, substep + 1u);
    }
}
