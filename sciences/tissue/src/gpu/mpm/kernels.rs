//! Source text and buffers of each kernel.

use insonate_gpu::{Kernel, Use};

use super::buffers::Buffers;
use super::layout::Layout;
use super::stages::{SortStages, Stage, Stages};
use crate::ElasticLaw;
use crate::gpu::fields::Fields;
use crate::gpu::{Gpu, GpuError};
use crate::mpm::{Contact, Formulation, MpmConfig};

/// Common start of the kernels that use tools.
const TOOLS: &str = concat!(
    include_str!("../tool.wgsl"),
    include_str!("../distance_field.wgsl"),
    include_str!("impulses.wgsl")
);

/// For kernels over particles and the nodes around them.
const TILE: &str = include_str!("tile.wgsl");

/// The formulation, for the kernels over particles. Features that are off are not compiled in.
fn formulation_text(formulation: Formulation) -> String {
    let is_total = formulation == Formulation::TotalLagrangian;
    let text = include_str!("formulation.wgsl");
    format!("const TOTAL = {is_total};\n{text}")
}

/// Source of the transfer.
fn transfer_text(config: &MpmConfig, can_tear: bool) -> String {
    let law = match config.law {
        ElasticLaw::NeoHookean => include_str!("neo_hookean.wgsl"),
        ElasticLaw::FixedCorotated => include_str!("fixed_corotated.wgsl"),
    };
    let tears = format!("const TEARS = {can_tear};\n");
    let parts = [
        TILE,
        &formulation_text(config.formulation),
        law,
        include_str!("damage.wgsl"),
        include_str!("piola.wgsl"),
        include_str!("transfer.wgsl"),
    ];
    tears + &parts.concat()
}

/// A buffer of a kernel, for each of the two sides of the sort, and its use.
type Binding<'a> = (Use, [&'a wgpu::Buffer; 2]);

fn read(buffer: &wgpu::Buffer) -> Binding<'_> {
    (Use::Read, [buffer; 2])
}

fn write(buffer: &wgpu::Buffer) -> Binding<'_> {
    (Use::Write, [buffer; 2])
}

/// The side that holds the particles.
fn read_sides(sides: &[wgpu::Buffer; 2]) -> Binding<'_> {
    (Use::Read, [&sides[0], &sides[1]])
}

fn write_sides(sides: &[wgpu::Buffer; 2]) -> Binding<'_> {
    (Use::Write, [&sides[0], &sides[1]])
}

/// The side that receives the sorted particles.
fn write_other_side(sides: &[wgpu::Buffer; 2]) -> Binding<'_> {
    (Use::Write, [&sides[1], &sides[0]])
}

/// Compiles kernels and binds them to buffers.
struct StageBuilder<'a> {
    gpu: &'a Gpu,
    buffers: &'a Buffers,
    fields: &'a Fields,
}

impl StageBuilder<'_> {
    fn stage(&self, name: &str, text: &str, bindings: &[Binding<'_>]) -> Result<Stage, GpuError> {
        let second = text.starts_with(TOOLS).then_some(&self.fields.layout);
        let text = format!("{}\n{text}", include_str!("common.wgsl"));
        let uses: Vec<_> = bindings.iter().map(|(r#use, _)| *r#use).collect();
        let kernel = Kernel::new(self.gpu, name, &text, &uses, second)?;
        let bind_groups = [0, 1].map(|side| {
            let buffers: Vec<_> = bindings.iter().map(|(_, sides)| sides[side]).collect();
            kernel.bind(self.gpu, &buffers)
        });
        Ok(Stage {
            kernel,
            bind_groups,
        })
    }

    fn params(&self) -> Binding<'_> {
        (Use::Uniform, [&self.buffers.params; 2])
    }

    fn sort(&self) -> Result<SortStages, GpuError> {
        let (b, params) = (self.buffers, self.params());
        Ok(SortStages {
            clear: self.stage(
                "sort_clear",
                include_str!("sort_clear.wgsl"),
                &[
                    params,
                    read(&b.active_nodes),
                    read(&b.lists),
                    write(&b.momenta),
                    write(&b.counts),
                    write(&b.slots),
                ],
            )?,
            count: self.stage(
                "sort_count",
                include_str!("sort_count.wgsl"),
                &[
                    params,
                    read_sides(&b.particles),
                    read_sides(&b.tags),
                    read(&b.materials),
                    write(&b.counts),
                    write(&b.places),
                    write(&b.occupied),
                    write(&b.counters),
                ],
            )?,
            dispatch: self.stage(
                "sort_dispatch",
                include_str!("sort_dispatch.wgsl"),
                &[write(&b.counters), write(&b.lists)],
            )?,
            allocate: self.stage(
                "sort_allocate",
                include_str!("sort_allocate.wgsl"),
                &[
                    params,
                    read(&b.worlds),
                    read(&b.lists),
                    read(&b.occupied),
                    write(&b.counts),
                    write(&b.slots),
                    write(&b.active_nodes),
                    write(&b.chunks),
                    write(&b.counters),
                    write(&b.status),
                ],
            )?,
            scatter: self.stage(
                "sort_scatter",
                include_str!("sort_scatter.wgsl"),
                &[
                    params,
                    read(&b.places),
                    read(&b.counts),
                    read_sides(&b.particles),
                    read_sides(&b.tags),
                    write_other_side(&b.particles),
                    write_other_side(&b.tags),
                ],
            )?,
        })
    }

    /// Momentum to velocity at the nodes.
    fn grid_update(&self) -> Result<Stage, GpuError> {
        let (b, params) = (self.buffers, self.params());
        let text = [TOOLS, include_str!("grid_update.wgsl")].concat();
        self.stage(
            "grid_update",
            &text,
            &[
                params,
                read(&b.worlds),
                write(&b.status),
                read(&b.active_nodes),
                read(&b.lists),
                write(&b.momenta),
                write(&b.velocities),
                read(&b.tools),
                write(&b.impulses),
            ],
        )
    }

    /// Transfer between particles and grid.
    fn transfer(&self, config: &MpmConfig, can_tear: bool) -> Result<Stage, GpuError> {
        let (b, params) = (self.buffers, self.params());
        self.stage(
            "transfer",
            &transfer_text(config, can_tear),
            &[
                params,
                read(&b.worlds),
                write(&b.status),
                read(&b.chunks),
                read(&b.lists),
                read(&b.slots),
                read_sides(&b.tags),
                read(&b.materials),
                write_sides(&b.particles),
                read(&b.velocities),
                write(&b.momenta),
            ],
        )
    }

    /// Contact of particles with tools.
    fn contact(&self, formulation: Formulation) -> Result<Stage, GpuError> {
        let (b, params) = (self.buffers, self.params());
        let formulation = formulation_text(formulation);
        let text = [TOOLS, TILE, &formulation, include_str!("contact.wgsl")].concat();
        self.stage(
            "contact",
            &text,
            &[
                params,
                read(&b.worlds),
                write(&b.status),
                read(&b.chunks),
                read(&b.lists),
                read(&b.slots),
                read_sides(&b.tags),
                read(&b.materials),
                write_sides(&b.particles),
                write(&b.momenta),
                read(&b.tools),
                write(&b.impulses),
            ],
        )
    }
}

impl Stages {
    pub(super) fn new(
        gpu: &Gpu,
        b: &Buffers,
        layout: &Layout,
        fields: &Fields,
    ) -> Result<Self, GpuError> {
        let builder = StageBuilder {
            gpu,
            buffers: b,
            fields,
        };
        let params = builder.params();
        Ok(Self {
            begin: builder.stage(
                "begin",
                include_str!("begin.wgsl"),
                &[params, read(&b.worlds), write(&b.status)],
            )?,
            reset: builder.stage(
                "reset",
                include_str!("reset.wgsl"),
                &[
                    params,
                    read(&b.worlds),
                    read(&b.listed),
                    read(&b.starts),
                    read(&b.materials),
                    write_sides(&b.particles),
                    write_sides(&b.tags),
                    write(&b.status),
                ],
            )?,
            sort: builder.sort()?,
            grid_update: builder.grid_update()?,
            transfer: builder.transfer(&layout.config, layout.can_tear)?,
            contact: match layout.config.contact {
                Contact::Particles => Some(builder.contact(layout.config.formulation)?),
                Contact::Nodes => None,
            },
        })
    }
}
