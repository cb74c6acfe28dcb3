// Solids as signed distances at the nodes of a cubic grid; the same as `tool/distance_field.rs`.

// Header of each field: first node, cell width [m], nodes along x, y, z, and start of its distances. Then the distances
// of all fields [m].
@group(1) @binding(0) var<storage, read> fields: array<u32>;

fn distance_at(node: u32) -> f32 {
    return bitcast<f32>(fields[node]);
}

// Value, and slope along x per cell, between two nodes.
fn field_row(node: u32, t: f32) -> vec2<f32> {
    let low = distance_at(node);
    let growth = distance_at(node + 1u) - low;
    return vec2<f32>(low + growth * t, growth);
}

// Value, and slopes along x and y per cell, between four nodes.
fn field_plane(node: u32, nx: u32, t: vec3<f32>) -> vec3<f32> {
    let low = field_row(node, t.x);
    let high = field_row(node + nx, t.x);
    let between = low + (high - low) * t.y;
    return vec3<f32>(between, high.x - low.x);
}

// Outward normal and distance [m]. Outside the grid: the distance to the grid plus the field's distance at the nearest
// point of the grid; the sum is at least the distance to the solid.
fn field_surface(field: u32, p: vec3<f32>) -> vec4<f32> {
    let head = 8u * field;
    let origin = vec3<f32>(distance_at(head), distance_at(head + 1u), distance_at(head + 2u));
    let width = distance_at(head + 3u);
    let n = vec3<u32>(fields[head + 4u], fields[head + 5u], fields[head + 6u]);
    let place = p - origin;
    let inside = clamp(place, vec3<f32>(0.0), vec3<f32>(n - 1u) * width);
    let beyond = place - inside;
    let cell = inside / width;
    let first = min(vec3<u32>(cell), n - 2u);
    let t = cell - vec3<f32>(first);
    let node = fields[head + 7u] + (first.z * n.y + first.y) * n.x + first.x;
    let low = field_plane(node, n.x, t);
    let high = field_plane(node + n.x * n.y, n.x, t);
    let between = low + (high - low) * t.z;
    var gradient = vec3<f32>(between.y, between.z, high.x - low.x) / width;
    let far = length(beyond);
    if far > 0.0 {
        gradient = select(gradient, vec3<f32>(0.0), beyond != vec3<f32>(0.0)) + beyond / far;
    }
    let size = length(gradient);
    var normal = vec3<f32>(0.0, 0.0, 1.0);
    if size > 1e-9 {
        normal = gradient / size;
    }
    return vec4<f32>(normal, between.x + far);
}

// Lower bound of the distance [m]. The surface function may exceed the distance: outside the grid, and by less than two
// cells where it is interpolated.
fn field_least(field: u32, p: vec3<f32>) -> f32 {
    let head = 8u * field;
    let origin = vec3<f32>(distance_at(head), distance_at(head + 1u), distance_at(head + 2u));
    let width = distance_at(head + 3u);
    let n = vec3<u32>(fields[head + 4u], fields[head + 5u], fields[head + 6u]);
    let place = p - origin;
    let far = length(place - clamp(place, vec3<f32>(0.0), vec3<f32>(n - 1u) * width));
    return max(far, field_surface(field, p).w - 2.0 * far - 2.0 * width);
}
