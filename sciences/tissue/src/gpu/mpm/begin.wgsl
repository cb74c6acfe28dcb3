// Before a step, and when worlds resume after a sort: determines the substeps of each world.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> worlds: array<World>;
@group(0) @binding(2) var<storage, read_write> status: array<Status>;

@compute @workgroup_size(128)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let world = (group.y * groups.x + group.x) * GROUP + lane;
    if world >= params.n_worlds {
        return;
    }
    let n_substeps = worlds[world].n_substeps;
    let resumes = stage.first != 0u;
    let flags = atomicLoad(&status[world].flags);
    let reached = atomicLoad(&status[world].stop_at);
    if (flags & ~ASTRAY) != 0u || (resumes && reached >= n_substeps) {
        status[world].start_at = 0u;
        atomicStore(&status[world].stop_at, 0u);
        // A finished world does not wait, wherever its particles are.
        atomicStore(&status[world].flags, flags & ~ASTRAY);
        return;
    }
    if resumes && flags == 0u {
        // It has been finished since an earlier round.
        return;
    }
    status[world].start_at = select(0u, reached, resumes);
    atomicStore(&status[world].stop_at, n_substeps);
    atomicStore(&status[world].flags, 0u);
    if !resumes {
        atomicStore(&status[world].speed, 0u);
    }
}
