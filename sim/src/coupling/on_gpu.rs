//! Worlds on a GPU: the torsos of all states of a scene share buffers and launches.

#[cfg(feature = "gpu")]
use std::sync::{Arc, Mutex, PoisonError, Weak};

#[cfg(feature = "gpu")]
use insonate_tissue::gpu::{
    Gpu, GpuError,
    mpm::{MpmWorld, SharedMpm},
    xpbd::SharedXpbd,
};
use insonate_tissue::mpm::{MpmBody, MpmConfig};
use insonate_tissue::xpbd::{XpbdBody, XpbdConfig};
use insonate_tissue::{Material, SoftTissue, TissueError};

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
    xpbd: Known<SharedXpbd>,
    mpm: Known<SharedMpm>,
}

/// Worlds by the bits of Poisson's ratio and the density.
#[cfg(feature = "gpu")]
type Known<W> = Vec<([u64; 2], Weak<W>)>;

#[cfg(feature = "gpu")]
impl Opened {
    fn gpu(&mut self) -> Result<Gpu, GpuError> {
        let gpu = match &self.gpu {
            Some(gpu) => gpu.clone(),
            None => Gpu::open()?,
        };
        self.gpu = Some(gpu.clone());
        Ok(gpu)
    }
}

/// The worlds of a material, if they are there.
#[cfg(feature = "gpu")]
fn find<W>(known: &mut Known<W>, material: &Material) -> Option<Arc<W>> {
    known.retain(|(_, worlds)| worlds.strong_count() > 0);
    let found = known.iter().find(|(known, _)| *known == key(material));
    found.and_then(|(_, worlds)| worlds.upgrade())
}

#[cfg(feature = "gpu")]
fn key(material: &Material) -> [u64; 2] {
    [material.poisson_ratio, material.density].map(f64::to_bits)
}

#[cfg(feature = "gpu")]
impl GpuWorlds {
    /// A world of tetrahedra at rest. Calls differ in the body's Poisson's ratio and density only.
    ///
    /// # Errors
    /// [`TissueError::Gpu`] without a GPU, without room on it, and in a build without the feature `gpu`.
    pub(super) fn xpbd(
        &self,
        config: XpbdConfig,
        body: XpbdBody,
    ) -> Result<Box<dyn SoftTissue>, TissueError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let material = body.material;
        if let Some(worlds) = find(&mut opened.xpbd, &material) {
            return Ok(Box::new(worlds.seat()));
        }
        let worlds = SharedXpbd::new(&opened.gpu()?, config, body)?;
        let known = (key(&material), Arc::downgrade(&worlds));
        opened.xpbd.push(known);
        Ok(Box::new(worlds.seat()))
    }

    /// A world of particles at rest. Calls differ in the Poisson's ratio and density of `material` only, which with its damping time [s] is that of
    /// bodies where the softness does not vary.
    ///
    /// # Errors
    /// Those of [`xpbd`](Self::xpbd).
    pub(super) fn mpm(
        &self,
        config: MpmConfig,
        bodies: Vec<MpmBody>,
        (material, damping_time): (Material, f64),
    ) -> Result<Box<dyn SoftTissue>, TissueError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(worlds) = find(&mut opened.mpm, &material) {
            return Ok(Box::new(worlds.seat()));
        }
        let world = MpmWorld {
            config,
            bodies,
            softness: [material.young_modulus, damping_time],
        };
        let worlds = SharedMpm::new(&opened.gpu()?, world)?;
        let known = (key(&material), Arc::downgrade(&worlds));
        opened.mpm.push(known);
        Ok(Box::new(worlds.seat()))
    }
}

/// A build without the feature `gpu` has no worlds.
#[cfg(not(feature = "gpu"))]
#[expect(clippy::unused_self, reason = "as with the feature")]
impl GpuWorlds {
    pub(super) fn xpbd(
        &self,
        _config: XpbdConfig,
        _body: XpbdBody,
    ) -> Result<Box<dyn SoftTissue>, TissueError> {
        Err(without_gpu())
    }

    pub(super) fn mpm(
        &self,
        _config: MpmConfig,
        _bodies: Vec<MpmBody>,
        _softness: (Material, f64),
    ) -> Result<Box<dyn SoftTissue>, TissueError> {
        Err(without_gpu())
    }
}

#[cfg(not(feature = "gpu"))]
fn without_gpu() -> TissueError {
    let problem = "this build has no GPU: build it with `--features gpu`";
    TissueError::Gpu(problem.to_owned())
}
