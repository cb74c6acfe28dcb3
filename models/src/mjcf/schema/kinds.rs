//! Value kinds of attributes: numbers, keywords, names, references, files.
//!
//! Source: MuJoCo's XML reference and its parser (3.17), for counts, keywords and references.

use super::Namespace;

/// Kind of the value of an attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AttributeKind {
    /// Numbers; least and greatest count.
    Reals(usize, usize),
    /// Integers; least and greatest count.
    Integers(usize, usize),
    /// One of these keywords.
    Keyword(&'static [&'static str]),
    /// The name of the element itself.
    Name,
    /// The name of another element.
    Reference(Namespace),
    /// Names of other elements, separated by spaces.
    References(Namespace),
    /// The name of an element. Another attribute gives its namespace.
    TypedReference {
        /// The attribute that gives the namespace.
        type_attribute: &'static str,
    },
    /// A file name.
    File,
    /// Any other text.
    Text,
}

const MANY: usize = usize::MAX;
const FLAG: AttributeKind = AttributeKind::Keyword(&["false", "true"]);
const TRISTATE: AttributeKind = AttributeKind::Keyword(&["false", "true", "auto"]);
const SWITCH: AttributeKind = AttributeKind::Keyword(&["disable", "enable"]);
const REAL: AttributeKind = AttributeKind::Reals(1, 1);
const REALS: AttributeKind = AttributeKind::Reals(1, MANY);
const INTEGER: AttributeKind = AttributeKind::Integers(1, 1);
const INTEGERS: AttributeKind = AttributeKind::Integers(1, MANY);
const PAIR: AttributeKind = AttributeKind::Reals(2, 2);
const VECTOR: AttributeKind = AttributeKind::Reals(3, 3);
const FOUR: AttributeKind = AttributeKind::Reals(4, 4);

/// The value kind of `attribute` on an element `tag` below a `parent`.
pub fn kind_of(parent: &str, tag: &str, attribute: &str) -> AttributeKind {
    if tag == "flag" {
        return SWITCH;
    }
    if parent == "visual" {
        return visual(tag, attribute);
    }
    reference(parent, tag, attribute)
        .or_else(|| keyword(parent, tag, attribute))
        .or_else(|| special(tag, attribute))
        .or_else(|| common(attribute))
        .unwrap_or(AttributeKind::Text)
}

/// Names, references and files.
fn reference(parent: &str, tag: &str, attribute: &str) -> Option<AttributeKind> {
    use Namespace as N;
    Some(match (tag, attribute) {
        ("flex", "body" | "node") => AttributeKind::References(N::Body),
        ("attach", "body" | "frame") | ("text", "data") | ("config", _) => AttributeKind::Text,
        ("skin", "texcoord") if parent == "composite" => AttributeKind::Text,
        ("attach", "model") => AttributeKind::Reference(N::Model),
        (_, "name") | ("default", "class") => AttributeKind::Name,
        (_, "class" | "childclass") => AttributeKind::Reference(N::Default),
        ("camera" | "light", "target")
        | (_, "body" | "body1" | "body2" | "subtree1" | "subtree2") => {
            AttributeKind::Reference(N::Body)
        }
        (_, "mesh") => AttributeKind::Reference(N::Mesh),
        (_, "material") => AttributeKind::Reference(N::Material),
        (_, "texture") => AttributeKind::Reference(N::Texture),
        (_, "hfield") => AttributeKind::Reference(N::Hfield),
        (_, "joint" | "joint1" | "joint2" | "jointinparent") => AttributeKind::Reference(N::Joint),
        (_, "geom" | "geom1" | "geom2") => AttributeKind::Reference(N::Geom),
        (_, "site" | "site1" | "site2" | "refsite" | "cranksite" | "slidersite" | "sidesite") => {
            AttributeKind::Reference(N::Site)
        }
        (_, "tendon" | "tendon1" | "tendon2") => AttributeKind::Reference(N::Tendon),
        (_, "flex") => AttributeKind::Reference(N::Flex),
        (_, "actuator") if parent == "sensor" => AttributeKind::Reference(N::Actuator),
        ("camprojection" | "rangefinder", "camera") => AttributeKind::Reference(N::Camera),
        (_, "instance") => AttributeKind::Reference(N::Plugin),
        (_, "objname") => AttributeKind::TypedReference {
            type_attribute: "objtype",
        },
        (_, "refname") => AttributeKind::TypedReference {
            type_attribute: "reftype",
        },
        (
            _,
            "file" | "fileback" | "filedown" | "filefront" | "fileleft" | "fileright" | "fileup",
        ) => AttributeKind::File,
        _ => return None,
    })
}

/// Keywords.
fn keyword(parent: &str, tag: &str, attribute: &str) -> Option<AttributeKind> {
    Some(match (tag, attribute) {
        ("joint", "type") if parent != "composite" => {
            AttributeKind::Keyword(&["free", "ball", "slide", "hinge"])
        }
        ("geom" | "site", "type") => AttributeKind::Keyword(&[
            "plane",
            "hfield",
            "sphere",
            "capsule",
            "ellipsoid",
            "cylinder",
            "box",
            "mesh",
            "sdf",
        ]),
        ("light", "type") => AttributeKind::Keyword(&["spot", "directional", "point", "image"]),
        ("texture", "type") => AttributeKind::Keyword(&["2d", "cube", "skybox"]),
        ("texture", "builtin") => AttributeKind::Keyword(&["none", "gradient", "checker", "flat"]),
        ("texture", "mark") => AttributeKind::Keyword(&["none", "edge", "cross", "random"]),
        ("camera" | "light", "mode") => {
            AttributeKind::Keyword(&["fixed", "track", "trackcom", "targetbody", "targetbodycom"])
        }
        ("option", "integrator") => {
            AttributeKind::Keyword(&["Euler", "RK4", "implicit", "implicitfast", "discrete"])
        }
        ("option", "cone") => AttributeKind::Keyword(&["pyramidal", "elliptic"]),
        ("option", "solver") => AttributeKind::Keyword(&["PGS", "CG", "Newton"]),
        ("option", "jacobian") => AttributeKind::Keyword(&["dense", "sparse", "auto"]),
        ("compiler", "angle") => AttributeKind::Keyword(&["radian", "degree"]),
        ("mesh", "inertia") => AttributeKind::Keyword(&["convex", "exact", "legacy", "shell"]),
        ("compiler", "inertiafromgeom")
        | ("freejoint", "align")
        | (_, "limited" | "ctrllimited" | "forcelimited" | "actlimited" | "actuatorfrclimited") => {
            TRISTATE
        }
        (
            "compiler",
            "alignfree" | "autolimits" | "balanceinertia" | "discardvisual" | "fusestatic"
            | "usethread" | "strippath" | "fitaabb" | "saveinertial",
        )
        | ("connect" | "weld" | "joint" | "tendon" | "flex" | "equality" | "light", "active")
        | ("texture", "hflip" | "vflip")
        | ("light", "directional")
        | ("flexcomp", "rigid")
        | (
            _,
            "mocap" | "castshadow" | "texuniform" | "actuatorgravcomp" | "flatskin"
            | "smoothnormal" | "shellinertia" | "actearly",
        ) => FLAG,
        _ => return None,
    })
}

/// Attributes with a special meaning on this element.
fn special(tag: &str, attribute: &str) -> Option<AttributeKind> {
    Some(match (tag, attribute) {
        ("compiler", "inertiagrouprange") | ("camera", "resolution") | ("texture", "gridsize") => {
            AttributeKind::Integers(2, 2)
        }
        ("flex" | "flexcomp", "cellcount") => AttributeKind::Integers(3, 3),
        ("flexcomp" | "replicate" | "composite", "count") => AttributeKind::Integers(1, 3),
        ("mesh" | "skin", "face") | ("flex", "element" | "elemtexcoord") | ("bone", "vertid") => {
            INTEGERS
        }
        ("mesh" | "flexcomp", "scale") | ("cylinder", "bias") | ("light", "specular") => VECTOR,
        ("light", "range") | ("muscle", "scale") | ("key", "time") => REAL,
        ("hfield", "size") => FOUR,
        ("pair", "friction") => AttributeKind::Reals(1, 5),
        ("muscle", "timeconst") => AttributeKind::Reals(1, 2),
        ("general", "gainprm" | "biasprm" | "dynprm") => AttributeKind::Reals(1, 10),
        ("plugin", "dynprm")
        | ("numeric", "data")
        | ("key" | "pin", _)
        | ("flexcomp", "element" | "point") => REALS,
        ("size", "memory") | ("flexcomp" | "flex", "dof") => AttributeKind::Text,
        ("numeric", "size") | ("texture", "width") | ("size", _) => INTEGER,
        (
            "dcmotor",
            "motorconst" | "nominal" | "saturation" | "inductance" | "cogging" | "controller"
            | "thermal" | "lugre",
        ) => AttributeKind::Reals(1, 6),
        _ => return None,
    })
}

/// Attributes with the same meaning on all elements.
fn common(attribute: &str) -> Option<AttributeKind> {
    Some(match attribute {
        "pos" | "axis" | "zaxis" | "dir" | "gravity" | "wind" | "magnetic" | "center" | "euler"
        | "diaginertia" | "attenuation" | "ambient" | "diffuse" | "anchor" | "rgb1" | "rgb2"
        | "markrgb" | "bindpos" | "refpos" | "offset" | "origin" | "cell" => VECTOR,
        "quat" | "axisangle" | "rgba" | "bindquat" | "refquat" => FOUR,
        "xyaxes" | "fromto" | "fullinertia" => AttributeKind::Reals(6, 6),
        "relpose" => AttributeKind::Reals(7, 7),
        "size" | "friction" | "damping" | "stiffness" | "spacing" => AttributeKind::Reals(1, 3),
        "range" | "ctrlrange" | "forcerange" | "actrange" | "lengthrange" | "velrange"
        | "ffrange" | "posrange" | "actuatorfrcrange" | "springdamper" | "texrepeat" | "focal"
        | "focalpixel" | "principal" | "principalpixel" | "sensorsize" => PAIR,
        "solref" | "solreflimit" | "solreffriction" | "solreffix" | "o_solref" | "springlength" => {
            AttributeKind::Reals(1, 2)
        }
        "solimp" | "solimplimit" | "solimpfriction" | "solimpfix" | "o_solimp" | "polycoef"
        | "o_friction" | "fluidcoef" => AttributeKind::Reals(1, 5),
        "gear" | "surfacevel" => AttributeKind::Reals(1, 6),
        "user" | "vertex" | "normal" | "texcoord" | "nodecoord" | "elevation" | "vertweight"
        | "params" | "interval" => REALS,
        "contype" | "conaffinity" | "group" | "condim" | "priority" | "dim" | "iterations"
        | "ls_iterations" | "noslip_iterations" | "ccd_iterations" | "sdf_iterations"
        | "sdf_initpoints" | "maxhullvert" | "nrow" | "ncol" | "nchannel" | "height"
        | "nsample" | "actdim" | "num" | "subgrid" | "activelayers" => INTEGER,
        _ => return real(attribute).then_some(REAL),
    })
}

/// Attributes that hold one number on all elements.
fn real(attribute: &str) -> bool {
    matches!(
        attribute,
        "accel"
            | "adhesion"
            | "area"
            | "armature"
            | "boundinertia"
            | "boundmass"
            | "bulbradius"
            | "ccd_tolerance"
            | "coef"
            | "cranklength"
            | "cutoff"
            | "dampratio"
            | "delay"
            | "density"
            | "diameter"
            | "divisor"
            | "emission"
            | "exponent"
            | "extent"
            | "fitscale"
            | "force"
            | "fovy"
            | "fpmax"
            | "frictionloss"
            | "fvmax"
            | "gain"
            | "gap"
            | "gravcomp"
            | "imax"
            | "impratio"
            | "inertiabox"
            | "inflate"
            | "inheritrange"
            | "intensity"
            | "inttotal"
            | "ipd"
            | "ki"
            | "kp"
            | "kv"
            | "lmax"
            | "lmin"
            | "ls_tolerance"
            | "margin"
            | "mass"
            | "maxforce"
            | "meaninertia"
            | "meanmass"
            | "meansize"
            | "metallic"
            | "noise"
            | "noslip_tolerance"
            | "o_margin"
            | "poisson"
            | "prm"
            | "radius"
            | "random"
            | "ref"
            | "reflectance"
            | "roughness"
            | "settotalmass"
            | "shininess"
            | "sleep_tolerance"
            | "slewmax"
            | "softness"
            | "solmix"
            | "specular"
            | "springref"
            | "tausmooth"
            | "thickness"
            | "timeconst"
            | "timestep"
            | "tolerance"
            | "tolrange"
            | "torquescale"
            | "viscosity"
            | "vmax"
            | "width"
            | "young"
    )
}

/// Values of visualization settings.
fn visual(tag: &str, attribute: &str) -> AttributeKind {
    match (tag, attribute) {
        ("rgba", _) => FOUR,
        ("headlight", "active")
        | ("quality", _)
        | ("global", "offwidth" | "offheight" | "cameraid") => INTEGER,
        ("headlight", _) => VECTOR,
        ("global", "orthographic" | "ellipsoidinertia" | "bvactive") => FLAG,
        _ => REAL,
    }
}
