//! Worlds on a GPU: the torsos of all states of a scene share buffers and launches.

#[cfg(feature = "gpu")]
use std::sync::{Arc, Mutex, PoisonError, Weak};

#[cfg(feature = "gpu")]
use insonate_tissue::gpu::{Gpu, GpuError, xpbd::SharedXpbd};
use insonate_tissue::xpbd::{XpbdBody, XpbdConfig};
use insonate_tissue::{SoftTissue, TissueError};

/// The GPU and the worlds of a torso, opened when the first state needs them.
#[derive(Debug, Clone, Default)]
pub(super) struct GpuWorlds {
    #[cfg(feature = "gpu")]
    opened: Arc<Mutex<Opened>>,
}

#[cfg(feature = "gpu")]
#[derive(Debug, Default)]
struct Opened {
    gpu: Option<Gpu>,
    /// Worlds by the bits of Poisson's ratio and the density.
    xpbd: Vec<([u64; 2], Weak<SharedXpbd>)>,
}

impl GpuWorlds {
    /// A world of tetrahedra at rest. Calls differ in the body's Poisson's ratio and density only.
    ///
    /// # Errors
    /// [`TissueError::Gpu`] without a GPU, without room on it, and in a build without the feature `gpu`.
    #[cfg(feature = "gpu")]
    pub(super) fn xpbd(
        &self,
        config: XpbdConfig,
        body: XpbdBody,
    ) -> Result<Box<dyn SoftTissue>, TissueError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let key = [body.material.poisson_ratio, body.material.density].map(f64::to_bits);
        opened.xpbd.retain(|(_, worlds)| worlds.strong_count() > 0);
        let known = opened.xpbd.iter().find(|(known, _)| *known == key);
        if let Some(worlds) = known.and_then(|(_, worlds)| worlds.upgrade()) {
            return Ok(Box::new(worlds.seat()));
        }
        let gpu = match &opened.gpu {
            Some(gpu) => gpu.clone(),
            None => Gpu::open().map_err(GpuError::from)?,
        };
        let worlds = SharedXpbd::new(&gpu, config, body)?;
        opened.gpu = Some(gpu);
        opened.xpbd.push((key, Arc::downgrade(&worlds)));
        Ok(Box::new(worlds.seat()))
    }

    /// A build without the feature `gpu` has no worlds.
    #[cfg(not(feature = "gpu"))]
    #[expect(clippy::unused_self, reason = "as with the feature")]
    pub(super) fn xpbd(
        &self,
        _config: XpbdConfig,
        _body: XpbdBody,
    ) -> Result<Box<dyn SoftTissue>, TissueError> {
        let problem = "this build has no GPU: build it with `--features gpu`";
        Err(TissueError::Gpu(problem.to_owned()))
    }
}
