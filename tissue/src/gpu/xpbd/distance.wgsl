// Distance constraint C = |x1 - x0| - L of an edge, with compliance and damping, or a dashpot: the same as `xpbd/distance.rs`.

struct Edge {
    vertices: vec2<u32>,
    // At rest [m].
    length: f32,
    // 1; 0 for a dashpot, which has no stiffness.
    elastic: f32,
    // [m/N]
    compliance: f32,
    // Damping of a spring [s], and of a dashpot [N s/m].
    damping_time: f32,
    damping: f32,
    // The tetrahedra around it, among those of all edges.
    first_tet: u32,
    last_tet: u32,
}

// Push [kg m] on the first end, given the way from there to the other [m], inverse masses [1/kg], and how far the second has come further
// than the first [m].
fn distance_push(edge: Edge, way: vec3<f32>, w: vec2<f32>, moved: vec3<f32>) -> vec3<f32> {
    let far = sqrt(dot(way, way) + 1e-24);
    let excess = far - edge.length;
    var soft = edge.compliance * (params.rate * params.rate);
    var wrong = excess;
    var stiff = 1.0;
    if params.is_damped != 0u {
        soft += 1.0 - edge.elastic;
        let damping = edge.damping * params.dt + edge.damping_time * params.rate;
        wrong = damping * (dot(way, moved) / far) + edge.elastic * excess;
        stiff = edge.elastic + damping;
    }
    let mass = stiff * (w.x + w.y) + soft;
    return way * (wrong / max(mass, 1e-12) / far);
}
