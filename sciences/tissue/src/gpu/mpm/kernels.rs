//! Source text and buffers of each kernel.

use insonate_gpu::{Kernel, Use};

use super::buffers::Buffers;
use super::layout::Layout;
use super::stages::{Stage, Stages};
use crate::ElasticLaw;
use crate::gpu::fields::Fields;
use crate::gpu::{Gpu, GpuError};
use crate::mpm::Contact;

/// Common start of the kernels that use tools.
const TOOLS: &str = concat!(
    include_str!("../tool.wgsl"),
    include_str!("../distance_field.wgsl"),
    include_str!("impulses.wgsl")
);

/// For kernels over particles and the nodes around them.
const TILE: &str = include_str!("tile.wgsl");

/// Source of the transfer for a law. Features that are off are not compiled in.
fn transfer_text(law: ElasticLaw, can_tear: bool) -> String {
    let law = match law {
        ElasticLaw::NeoHookean => include_str!("neo_hookean.wgsl"),
        ElasticLaw::FixedCorotated => include_str!("fixed_corotated.wgsl"),
    };
    let tears = format!("const TEARS = {can_tear};\n");
    let parts = [
        TILE,
        law,
        include_str!("damage.wgsl"),
        include_str!("transfer.wgsl"),
    ];
    tears + &parts.concat()
}

impl Stages {
    #[expect(
        clippy::too_many_lines,
        reason = "a table of kernels and their buffers"
    )]
    pub(super) fn new(
        gpu: &Gpu,
        b: &Buffers,
        layout: &Layout,
        fields: &Fields,
    ) -> Result<Self, GpuError> {
        use Use::{Read, Uniform, Write};
        let stage = |name: &str, text: &str, buffers: &[(Use, [&wgpu::Buffer; 2])]| {
            let second = text.starts_with(TOOLS).then_some(&fields.layout);
            let text = format!("{}\n{text}", include_str!("common.wgsl"));
            let uses: Vec<_> = buffers.iter().map(|(r#use, _)| *r#use).collect();
            let kernel = Kernel::new(gpu, name, &text, &uses, second)?;
            let bind_groups = [0, 1].map(|side| {
                let buffers: Vec<_> = buffers.iter().map(|(_, sides)| sides[side]).collect();
                kernel.bind(gpu, &buffers)
            });
            Ok::<_, GpuError>(Stage {
                kernel,
                bind_groups,
            })
        };
        let params = (Uniform, [&b.params; 2]);
        let worlds = (Read, [&b.worlds; 2]);
        let status = (Write, [&b.status; 2]);
        let lists = (Read, [&b.lists; 2]);
        let materials = (Read, [&b.materials; 2]);
        let read = |buffer| (Read, [buffer; 2]);
        let write = |buffer| (Write, [buffer; 2]);
        let [here, there] = [&b.particles, &b.tags].map(|pair| [&pair[0], &pair[1]]);
        let swapped = |[a, b]: [_; 2]| [b, a];
        let is_on_particles = layout.config.contact == Contact::Particles;
        let grid_update = [TOOLS, include_str!("grid_update.wgsl")].concat();
        let contact = [TOOLS, TILE, include_str!("contact.wgsl")].concat();
        let transfer = transfer_text(layout.config.law, layout.can_tear);
        Ok(Self {
            begin: stage("begin", include_str!("begin.wgsl"), &[params, status])?,
            reset: stage(
                "reset",
                include_str!("reset.wgsl"),
                &[
                    params,
                    worlds,
                    read(&b.listed),
                    read(&b.starts),
                    materials,
                    (Write, here),
                    (Write, there),
                    status,
                ],
            )?,
            sort_clear: stage(
                "sort_clear",
                include_str!("sort_clear.wgsl"),
                &[
                    params,
                    read(&b.active_nodes),
                    lists,
                    write(&b.momenta),
                    write(&b.counts),
                    write(&b.slots),
                ],
            )?,
            sort_count: stage(
                "sort_count",
                include_str!("sort_count.wgsl"),
                &[
                    params,
                    (Read, here),
                    (Read, there),
                    materials,
                    write(&b.counts),
                    write(&b.places),
                    write(&b.occupied),
                    write(&b.counters),
                ],
            )?,
            sort_dispatch: stage(
                "sort_dispatch",
                include_str!("sort_dispatch.wgsl"),
                &[write(&b.counters), write(&b.lists)],
            )?,
            sort_allocate: stage(
                "sort_allocate",
                include_str!("sort_allocate.wgsl"),
                &[
                    params,
                    worlds,
                    lists,
                    read(&b.occupied),
                    write(&b.counts),
                    write(&b.slots),
                    write(&b.active_nodes),
                    write(&b.chunks),
                    write(&b.counters),
                    status,
                ],
            )?,
            sort_scatter: stage(
                "sort_scatter",
                include_str!("sort_scatter.wgsl"),
                &[
                    params,
                    read(&b.places),
                    read(&b.counts),
                    (Read, here),
                    (Read, there),
                    (Write, swapped(here)),
                    (Write, swapped(there)),
                ],
            )?,
            grid_update: stage(
                "grid_update",
                &grid_update,
                &[
                    params,
                    worlds,
                    status,
                    read(&b.active_nodes),
                    lists,
                    write(&b.momenta),
                    write(&b.velocities),
                    read(&b.tools),
                    write(&b.impulses),
                ],
            )?,
            transfer: stage(
                "transfer",
                &transfer,
                &[
                    params,
                    worlds,
                    status,
                    read(&b.chunks),
                    lists,
                    read(&b.slots),
                    (Read, there),
                    materials,
                    (Write, here),
                    read(&b.velocities),
                    write(&b.momenta),
                ],
            )?,
            contact: is_on_particles
                .then(|| {
                    stage(
                        "contact",
                        &contact,
                        &[
                            params,
                            worlds,
                            status,
                            read(&b.chunks),
                            lists,
                            read(&b.slots),
                            (Read, there),
                            materials,
                            (Write, here),
                            write(&b.momenta),
                            read(&b.tools),
                            write(&b.impulses),
                        ],
                    )
                })
                .transpose()?,
        })
    }
}
