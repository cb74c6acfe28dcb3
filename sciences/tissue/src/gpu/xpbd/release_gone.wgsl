// Releases a vertex whose tool was removed or is no longer sticky. The source before it binds the buffers.

// Added to the number of tools of a world that does not move in this step.
const RESTS = 0x80000000u;

fn release(point: u32, world: u32) {
    let i = index_of(point, world, params.n_points);
    let holder = holds[i].w;
    if holder < HELD {
        return;
    }
    let tool = tool_of(holder);
    var is_gone = tool >= n_tools[world];
    if !is_gone && (holder & STICKS) != 0u {
        is_gone = tools[world * params.tool_stride + tool].friction >= 0.0;
    }
    if is_gone {
        holds[i] = vec4<u32>(0u);
    }
}
