//! Controls of a scanner from the keywords of Python.

use insonate::ultrasound::Controls;
use insonate::ultrasound::b_mode::{GreyMap, Tgc};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Result, value_error};

/// The controls of a dict; `view_angle` is in rad, and `tgc` is gains of sliders [dB] or a dict of depths [m] and gains [dB].
pub(super) fn controls(keywords: &Bound<'_, PyDict>) -> Result<Controls> {
    let mut controls = Controls::default();
    for (name, value) in keywords {
        let name: String = name.extract()?;
        match &*name {
            "transmit_frequency" => controls.transmit_frequency = Some(value.extract()?),
            "transmit_cycles" => controls.transmit_cycles = Some(value.extract()?),
            "focus" => controls.foci = foci(&value)?,
            "transmit_f_number" => controls.transmit_f_number = Some(value.extract()?),
            "receive_f_number" => controls.receive_f_number = Some(value.extract()?),
            "views" => controls.views = Some(value.extract()?),
            "view_angle" => controls.view_angle = Some(value.extract()?),
            "gain" => controls.gain = Some(value.extract()?),
            "tgc" => controls.tgc = Some(tgc(&value)?),
            "dynamic_range" => controls.dynamic_range = Some(value.extract()?),
            "grey_map" => controls.grey_map = Some(grey_map(&value)?),
            "receiver_noise" => controls.noise = Some(value.extract()?),
            other => return Err(value_error(format!("there is no control {other:?}"))),
        }
    }
    Ok(controls)
}

fn foci(value: &Bound<'_, PyAny>) -> Result<Vec<f64>> {
    if let Ok(one) = value.extract::<f64>() {
        return Ok(vec![one]);
    }
    Ok(value.extract()?)
}

fn grey_map(value: &Bound<'_, PyAny>) -> Result<GreyMap> {
    let name: String = value.extract()?;
    GreyMap::by_name(&name).map_err(|error| value_error(error.to_string()))
}

fn tgc(value: &Bound<'_, PyAny>) -> Result<Tgc> {
    let curve = match value.cast::<PyDict>() {
        Ok(points) => {
            let mut pairs: Vec<[f64; 2]> = Vec::new();
            for (depth, gain) in points {
                pairs.push([depth.extract()?, gain.extract()?]);
            }
            Tgc::new(pairs)
        }
        Err(_) => Tgc::sliders(&value.extract::<Vec<f64>>()?),
    };
    curve.map_err(|error| value_error(error.to_string()))
}
