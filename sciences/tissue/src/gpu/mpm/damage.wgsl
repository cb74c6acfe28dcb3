// Tearing: irreversible loss of stiffness by stretch, as in `mpm/damage.rs`.

// Squarings of B = F F^T.
const N_SQUARINGS = 4u;

// Entries xx, yy, zz, and xy, xz, yz.
struct Symmetric {
    diagonal: vec3<f32>,
    off: vec3<f32>,
}

fn squared(a: Symmetric) -> Symmetric {
    let d = a.diagonal;
    let o = a.off;
    let x = vec3<f32>(d.x, o.x, o.y);
    let y = vec3<f32>(o.x, d.y, o.z);
    let z = vec3<f32>(o.y, o.z, d.z);
    return Symmetric(
        vec3<f32>(dot(x, x), dot(y, y), dot(z, z)),
        vec3<f32>(dot(x, y), dot(x, z), dot(y, z)),
    );
}

fn trace(a: Symmetric) -> f32 {
    return a.diagonal.x + a.diagonal.y + a.diagonal.z;
}

// Greatest eigenvalue of a positive matrix: tr(P B) / tr(P) with P a high power of it.
fn greatest_eigenvalue(b: Symmetric) -> f32 {
    var power = b;
    for (var i = 0u; i < N_SQUARINGS; i++) {
        // Divided by the trace to avoid overflow.
        let scale = 1.0 / max(trace(power), 1e-12);
        power = squared(Symmetric(power.diagonal * scale, power.off * scale));
    }
    let product = dot(power.diagonal, b.diagonal) + 2.0 * dot(power.off, b.off);
    return product / max(trace(power), 1e-12);
}

// Damage of a particle from its rows of F, its previous damage, and its material's square of stretch and
// rate.
fn update_damage(f: array<vec3<f32>, 3>, before: f32, tearing: vec2<f32>) -> f32 {
    let stretch_squared = greatest_eigenvalue(Symmetric(
        vec3<f32>(dot(f[0], f[0]), dot(f[1], f[1]), dot(f[2], f[2])),
        vec3<f32>(dot(f[0], f[1]), dot(f[0], f[2]), dot(f[1], f[2])),
    ));
    let new_damage = min((stretch_squared - tearing.x) * tearing.y, 1.0);
    return max(before, max(new_damage, 0.0));
}

// Remaining stress [Pa]: the pressure of compressed tissue, lambda ln J, is kept.
fn damaged_stress(tau: Symmetric, f: array<vec3<f32>, 3>, damage: f32, lambda: f32) -> Symmetric {
    let j = clamp(dot(f[0], cross(f[1], f[2])), 0.05, 1.0);
    let kept = damage * lambda * log(j);
    let remaining = 1.0 - damage;
    return Symmetric(remaining * tau.diagonal + kept, remaining * tau.off);
}
