// Correction of a point in a tool [m], given its arm from the tool's origin, its displacement in this substep, and its depth.
fn contact_correction(
    tool: Tool,
    arm: vec3<f32>,
    displacement: vec3<f32>,
    normal: vec3<f32>,
    depth: f32,
) -> vec3<f32> {
    let tool_displacement = (tool.linear + cross(tool.angular, arm)) * params.dt;
    let delta_n = min(depth, params.max_push + max(dot(tool_displacement, normal), 0.0));
    let relative = displacement + normal * delta_n - tool_displacement;
    let slip = relative - normal * dot(relative, normal);
    let distance = length(slip);
    var correction = normal * delta_n;
    if distance > 0.0 {
        correction -= slip * min(tool.friction * delta_n / distance, 1.0);
    }
    return correction;
}
