// Compressible neo-Hookean solid: tau = mu (F F^T - I) + lambda ln J I.

// Kirchhoff stress [Pa] of the rows of F.
fn kirchhoff(f: array<vec3<f32>, 3>, mu: f32, lambda: f32) -> Symmetric {
    let j = max(dot(f[0], cross(f[1], f[2])), LEAST_J);
    let on_diagonal = lambda * log(j) - mu;
    return Symmetric(
        mu * vec3<f32>(dot(f[0], f[0]), dot(f[1], f[1]), dot(f[2], f[2])) + on_diagonal,
        mu * vec3<f32>(dot(f[0], f[1]), dot(f[0], f[2]), dot(f[1], f[2])),
    );
}
