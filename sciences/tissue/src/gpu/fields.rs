//! Distance fields of tools in one buffer: see `distance_field.wgsl`.

use std::sync::Arc;

use insonate_gpu::{DeviceError, Use};

use super::{Gpu, GpuError};
use crate::tool::{DistanceField, Shape, Tool};

/// Header words before the distances of each field.
const HEAD_WORDS: usize = 8;

/// Fields on the GPU. A field is stored once even if several tools use it.
#[derive(Debug)]
pub(super) struct Fields {
    there: Vec<Arc<DistanceField>>,
    pub(super) layout: wgpu::BindGroupLayout,
    /// Second bind group of the kernels that use tools.
    pub(super) bound: wgpu::BindGroup,
}

impl Fields {
    /// Creates the buffer without fields.
    pub(super) fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let layout = insonate_gpu::bind_layout(gpu, "distance fields", &[Use::Read]);
        let empty = gpu.storage("distance fields", 4 * HEAD_WORDS as u64)?;
        let bound = insonate_gpu::bind(gpu, &layout, &[&empty]);
        Ok(Self {
            there: Vec::new(),
            layout,
            bound,
        })
    }

    /// Uploads new fields of tools. They replace fields that no tool uses any more.
    ///
    /// # Errors
    /// [`GpuError::Device`]; the fields are unchanged then.
    pub(super) fn bring<'a>(
        &mut self,
        gpu: &Gpu,
        tools: impl Iterator<Item = &'a Tool> + Clone,
    ) -> Result<(), GpuError> {
        let fields = tools.filter_map(|tool| match &tool.shape {
            Shape::Field(field) => Some(field),
            _ => None,
        });
        if fields.clone().all(|field| self.find(field).is_some()) {
            return Ok(());
        }
        let mut wanted: Vec<Arc<DistanceField>> = Vec::new();
        for field in fields {
            if !wanted.iter().any(|other| is_same(other, field)) {
                wanted.push(Arc::clone(field));
            }
        }
        let mut heads: Vec<u32> = Vec::with_capacity(HEAD_WORDS * wanted.len());
        let mut n_words = HEAD_WORDS * wanted.len();
        let mut starts = Vec::with_capacity(wanted.len());
        for field in &wanted {
            let numbers = field.origin().push(field.cell_width());
            heads.extend(numbers.iter().map(|x| (*x as f32).to_bits()));
            heads.extend(field.shape().map(|n| n as u32));
            // The buffer limit keeps this in range.
            heads.push(n_words as u32);
            starts.push(4 * n_words as u64);
            n_words += field.distances().len();
        }
        let bytes = 4 * n_words as u64;
        if bytes > u32::MAX.into() {
            return Err(DeviceError::Limit {
                what: "the buffer of distance fields in bytes".to_owned(),
                needed: bytes,
                limit: u32::MAX.into(),
                gpu: gpu.name().to_owned(),
            }
            .into());
        }
        let buffer = gpu.storage("distance fields", bytes)?;
        gpu.queue
            .write_buffer(&buffer, 0, bytemuck::cast_slice(&heads));
        for (field, start) in wanted.iter().zip(starts) {
            let bytes = bytemuck::cast_slice(field.distances());
            gpu.queue.write_buffer(&buffer, start, bytes);
        }
        self.bound = insonate_gpu::bind(gpu, &self.layout, &[&buffer]);
        self.there = wanted;
        Ok(())
    }

    /// Index of a tool's field; the first index if it has no field.
    pub(super) fn index(&self, field: &Arc<DistanceField>) -> u32 {
        self.find(field).unwrap_or(0) as u32
    }

    fn find(&self, field: &Arc<DistanceField>) -> Option<usize> {
        self.there.iter().position(|there| is_same(there, field))
    }
}

fn is_same(a: &Arc<DistanceField>, b: &Arc<DistanceField>) -> bool {
    Arc::ptr_eq(a, b) || a == b
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Larger than any GPU's memory.
    const TOO_MUCH: u64 = 1 << 30;

    #[test]
    fn more_than_the_gpu_takes_is_refused_and_changes_nothing() {
        let gpu = match Gpu::open() {
            Ok(gpu) => gpu,
            Err(error) => {
                let is_required = std::env::var("INSONATE_REQUIRE_GPU").is_ok_and(|it| it == "1");
                assert!(!is_required, "{error}");
                return eprintln!("skipped: {error}");
            }
        };
        let tool = |shape: [usize; 3]| {
            let field = DistanceField::of_nothing(shape);
            Tool::new(Shape::Field(Arc::new(field)))
        };
        let mut fields = Fields::new(&gpu).unwrap();
        let small = tool([8; 3]);
        fields.bring(&gpu, [&small].into_iter()).unwrap();
        let there = fields.there.clone();
        let limits = gpu.limits();
        let limit = limits
            .max_buffer_size
            .min(limits.max_storage_buffer_binding_size);
        if limit < TOO_MUCH {
            let layers = (limit / (4 * 256 * 256)) as usize + 1;
            // The digest differs from the digest of the small field, because equality compares
            // digests.
            fields.there.clear();
            let large = tool([256, 256, layers]);
            let error = fields.bring(&gpu, [&large].into_iter()).unwrap_err();
            assert!(
                matches!(error, GpuError::Device(DeviceError::Limit { .. })),
                "{error}"
            );
            assert!(fields.there.is_empty());
            fields.bring(&gpu, [&small].into_iter()).unwrap();
        }
        assert_eq!(fields.there, there);
    }
}
