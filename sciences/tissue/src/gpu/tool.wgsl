// Rigid tools: poses in a substep, and distances of points from their surfaces.

struct Tool {
    // Origin in cells; kind of shape.
    position: vec3<f32>,
    kind: u32,
    // Quaternion x, y, z, w.
    rotation: vec4<f32>,
    // Linear velocity [m/s]; Coulomb friction coefficient, negative if tissue sticks.
    linear: vec3<f32>,
    friction: f32,
    // Angular velocity [rad/s]; radius of a ball that contains the solid [m], negative if there is
    // no such ball.
    angular: vec3<f32>,
    reach: f32,
    // Sizes of the shape [m]; index of its field if the shape is a field.
    sizes: vec3<f32>,
    field: u32,
}

const SPHERE = 0u;
const CUBOID = 1u;
const CAPSULE = 2u;
const CYLINDER = 3u;
const HALF_SPACE = 4u;

fn rotate(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

fn rotate_back(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    return rotate(vec4<f32>(-q.xyz, q.w), v);
}

// The tool after a time at its current velocity.
fn moved_on(tool: Tool, time: f32, cell_width: f32) -> Tool {
    var moved = tool;
    moved.position += tool.linear * (time / cell_width);
    let speed = length(tool.angular);
    if speed > 0.0 {
        let half = 0.5 * speed * time;
        let turn = vec4<f32>(tool.angular * (sin(half) / speed), cos(half));
        let q = tool.rotation;
        moved.rotation = normalize(vec4<f32>(
            turn.w * q.xyz + q.w * turn.xyz + cross(turn.xyz, q.xyz),
            turn.w * q.w - dot(turn.xyz, q.xyz),
        ));
    }
    return moved;
}

// Outward normal and distance from a ball around the origin.
fn around(p: vec3<f32>, radius: f32) -> vec4<f32> {
    let far = length(p);
    if far > 1e-12 {
        return vec4<f32>(p / far, far - radius);
    }
    return vec4<f32>(0.0, 0.0, 1.0, far - radius);
}

fn cuboid(p: vec3<f32>, half: vec3<f32>) -> vec4<f32> {
    let over = abs(p) - half;
    let out = max(over, vec3<f32>(0.0));
    let far = length(out);
    var found = vec4<f32>(0.0);
    if far > 1e-12 {
        found = vec4<f32>(out / far, far);
    } else if over.x >= over.y && over.x >= over.z {
        found = vec4<f32>(1.0, 0.0, 0.0, over.x);
    } else if over.y >= over.z {
        found = vec4<f32>(0.0, 1.0, 0.0, over.y);
    } else {
        found = vec4<f32>(0.0, 0.0, 1.0, over.z);
    }
    return vec4<f32>(select(found.xyz, -found.xyz, p < vec3<f32>(0.0)), found.w);
}

fn cylinder(p: vec3<f32>, radius: f32, half_length: f32) -> vec4<f32> {
    let from_axis = length(p.xy);
    let over = vec2<f32>(from_axis - radius, abs(p.z) - half_length);
    let out = max(over, vec2<f32>(0.0));
    let far = length(out);
    var corner = vec2<f32>(1.0, 0.0);
    var distance = over.x;
    if far > 1e-12 {
        corner = out / far;
        distance = far;
    } else if over.y > over.x {
        corner = vec2<f32>(0.0, 1.0);
        distance = over.y;
    }
    var side = vec2<f32>(0.0);
    if from_axis > 1e-12 {
        side = p.xy * (corner.x / from_axis);
    }
    return vec4<f32>(side, select(corner.y, -corner.y, p.z < 0.0), distance);
}

// Outward normal and distance [m] of the surface at a point in the tool's frame [m].
fn surface(tool: Tool, p: vec3<f32>) -> vec4<f32> {
    switch tool.kind {
        case SPHERE: {
            return around(p, tool.sizes.x);
        }
        case CUBOID: {
            return cuboid(p, tool.sizes);
        }
        case CAPSULE: {
            let on_axis = clamp(p.z, -tool.sizes.y, tool.sizes.y);
            return around(vec3<f32>(p.xy, p.z - on_axis), tool.sizes.x);
        }
        case CYLINDER: {
            return cylinder(p, tool.sizes.x, tool.sizes.y);
        }
        case HALF_SPACE: {
            return vec4<f32>(0.0, 0.0, 1.0, p.z);
        }
        default: {
            return field_surface(tool.field, p);
        }
    }
}

// Lower bound of the distance from the surface [m], to skip distant points.
fn least_distance(tool: Tool, p: vec3<f32>) -> f32 {
    if tool.kind > HALF_SPACE {
        return field_least(tool.field, p);
    }
    return surface(tool, p).w;
}
