//! What the value of each attribute is: numbers, a keyword, a name, a reference, a file.
//!
//! Facts from MuJoCo's XML reference and its parser (3.17): counts, keywords, and what refers to what.

use super::Namespace;

/// What an attribute holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Numbers, at least and at most so many.
    Reals(usize, usize),
    /// Whole numbers, at least and at most so many.
    Integers(usize, usize),
    /// One of these words.
    Keyword(&'static [&'static str]),
    /// The element's own name.
    Name,
    /// The name of another element.
    Reference(Namespace),
    /// Names of other elements, between spaces.
    References(Namespace),
    /// The name of an element whose namespace another attribute gives.
    TypedReference {
        /// The attribute that gives the namespace.
        type_attribute: &'static str,
    },
    /// A file.
    File,
    /// Anything else.
    Text,
}

const MANY: usize = usize::MAX;
const FLAG: Kind = Kind::Keyword(&["false", "true"]);
const TRISTATE: Kind = Kind::Keyword(&["false", "true", "auto"]);
const SWITCH: Kind = Kind::Keyword(&["disable", "enable"]);
const REAL: Kind = Kind::Reals(1, 1);
const REALS: Kind = Kind::Reals(1, MANY);
const INTEGER: Kind = Kind::Integers(1, 1);
const INTEGERS: Kind = Kind::Integers(1, MANY);
const PAIR: Kind = Kind::Reals(2, 2);
const VECTOR: Kind = Kind::Reals(3, 3);
const FOUR: Kind = Kind::Reals(4, 4);

/// What `attribute` of an element `tag` below a `parent` holds.
pub fn kind_of(parent: &str, tag: &str, attribute: &str) -> Kind {
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
        .unwrap_or(Kind::Text)
}

/// Names, references and files.
fn reference(parent: &str, tag: &str, attribute: &str) -> Option<Kind> {
    use Namespace as N;
    Some(match (tag, attribute) {
        ("flex", "body" | "node") => Kind::References(N::Body),
        ("attach", "body" | "frame") | ("text", "data") | ("config", _) => Kind::Text,
        ("skin", "texcoord") if parent == "composite" => Kind::Text,
        ("attach", "model") => Kind::Reference(N::Model),
        (_, "name") | ("default", "class") => Kind::Name,
        (_, "class" | "childclass") => Kind::Reference(N::Default),
        ("camera" | "light", "target")
        | (_, "body" | "body1" | "body2" | "subtree1" | "subtree2") => Kind::Reference(N::Body),
        (_, "mesh") => Kind::Reference(N::Mesh),
        (_, "material") => Kind::Reference(N::Material),
        (_, "texture") => Kind::Reference(N::Texture),
        (_, "hfield") => Kind::Reference(N::Hfield),
        (_, "joint" | "joint1" | "joint2" | "jointinparent") => Kind::Reference(N::Joint),
        (_, "geom" | "geom1" | "geom2") => Kind::Reference(N::Geom),
        (_, "site" | "site1" | "site2" | "refsite" | "cranksite" | "slidersite" | "sidesite") => {
            Kind::Reference(N::Site)
        }
        (_, "tendon" | "tendon1" | "tendon2") => Kind::Reference(N::Tendon),
        (_, "flex") => Kind::Reference(N::Flex),
        (_, "actuator") if parent == "sensor" => Kind::Reference(N::Actuator),
        ("camprojection" | "rangefinder", "camera") => Kind::Reference(N::Camera),
        (_, "instance") => Kind::Reference(N::Plugin),
        (_, "objname") => Kind::TypedReference {
            type_attribute: "objtype",
        },
        (_, "refname") => Kind::TypedReference {
            type_attribute: "reftype",
        },
        (
            _,
            "file" | "fileback" | "filedown" | "filefront" | "fileleft" | "fileright" | "fileup",
        ) => Kind::File,
        _ => return None,
    })
}

/// Words from a list.
fn keyword(parent: &str, tag: &str, attribute: &str) -> Option<Kind> {
    Some(match (tag, attribute) {
        ("joint", "type") if parent != "composite" => {
            Kind::Keyword(&["free", "ball", "slide", "hinge"])
        }
        ("geom" | "site", "type") => Kind::Keyword(&[
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
        ("light", "type") => Kind::Keyword(&["spot", "directional", "point", "image"]),
        ("texture", "type") => Kind::Keyword(&["2d", "cube", "skybox"]),
        ("texture", "builtin") => Kind::Keyword(&["none", "gradient", "checker", "flat"]),
        ("texture", "mark") => Kind::Keyword(&["none", "edge", "cross", "random"]),
        ("camera" | "light", "mode") => {
            Kind::Keyword(&["fixed", "track", "trackcom", "targetbody", "targetbodycom"])
        }
        ("option", "integrator") => {
            Kind::Keyword(&["Euler", "RK4", "implicit", "implicitfast", "discrete"])
        }
        ("option", "cone") => Kind::Keyword(&["pyramidal", "elliptic"]),
        ("option", "solver") => Kind::Keyword(&["PGS", "CG", "Newton"]),
        ("option", "jacobian") => Kind::Keyword(&["dense", "sparse", "auto"]),
        ("compiler", "angle") => Kind::Keyword(&["radian", "degree"]),
        ("mesh", "inertia") => Kind::Keyword(&["convex", "exact", "legacy", "shell"]),
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

/// Attributes that mean something else on this element than on others.
fn special(tag: &str, attribute: &str) -> Option<Kind> {
    Some(match (tag, attribute) {
        ("compiler", "inertiagrouprange") | ("camera", "resolution") | ("texture", "gridsize") => {
            Kind::Integers(2, 2)
        }
        ("flex" | "flexcomp", "cellcount") => Kind::Integers(3, 3),
        ("flexcomp" | "replicate" | "composite", "count") => Kind::Integers(1, 3),
        ("mesh" | "skin", "face") | ("flex", "element" | "elemtexcoord") | ("bone", "vertid") => {
            INTEGERS
        }
        ("mesh" | "flexcomp", "scale") | ("cylinder", "bias") | ("light", "specular") => VECTOR,
        ("light", "range") | ("muscle", "scale") | ("key", "time") => REAL,
        ("hfield", "size") => FOUR,
        ("pair", "friction") => Kind::Reals(1, 5),
        ("muscle", "timeconst") => Kind::Reals(1, 2),
        ("general", "gainprm" | "biasprm" | "dynprm") => Kind::Reals(1, 10),
        ("plugin", "dynprm")
        | ("numeric", "data")
        | ("key" | "pin", _)
        | ("flexcomp", "element" | "point") => REALS,
        ("size", "memory") | ("flexcomp" | "flex", "dof") => Kind::Text,
        ("numeric", "size") | ("texture", "width") | ("size", _) => INTEGER,
        (
            "dcmotor",
            "motorconst" | "nominal" | "saturation" | "inductance" | "cogging" | "controller"
            | "thermal" | "lugre",
        ) => Kind::Reals(1, 6),
        _ => return None,
    })
}

/// Attributes that mean the same on every element that has them.
fn common(attribute: &str) -> Option<Kind> {
    Some(match attribute {
        "pos" | "axis" | "zaxis" | "dir" | "gravity" | "wind" | "magnetic" | "center" | "euler"
        | "diaginertia" | "attenuation" | "ambient" | "diffuse" | "anchor" | "rgb1" | "rgb2"
        | "markrgb" | "bindpos" | "refpos" | "offset" | "origin" | "cell" => VECTOR,
        "quat" | "axisangle" | "rgba" | "bindquat" | "refquat" => FOUR,
        "xyaxes" | "fromto" | "fullinertia" => Kind::Reals(6, 6),
        "relpose" => Kind::Reals(7, 7),
        "size" | "friction" | "damping" | "stiffness" | "spacing" => Kind::Reals(1, 3),
        "range" | "ctrlrange" | "forcerange" | "actrange" | "lengthrange" | "velrange"
        | "ffrange" | "posrange" | "actuatorfrcrange" | "springdamper" | "texrepeat" | "focal"
        | "focalpixel" | "principal" | "principalpixel" | "sensorsize" => PAIR,
        "solref" | "solreflimit" | "solreffriction" | "solreffix" | "o_solref" | "springlength" => {
            Kind::Reals(1, 2)
        }
        "solimp" | "solimplimit" | "solimpfriction" | "solimpfix" | "o_solimp" | "polycoef"
        | "o_friction" | "fluidcoef" => Kind::Reals(1, 5),
        "gear" | "surfacevel" => Kind::Reals(1, 6),
        "user" | "vertex" | "normal" | "texcoord" | "nodecoord" | "elevation" | "vertweight"
        | "params" | "interval" => REALS,
        "contype" | "conaffinity" | "group" | "condim" | "priority" | "dim" | "iterations"
        | "ls_iterations" | "noslip_iterations" | "ccd_iterations" | "sdf_iterations"
        | "sdf_initpoints" | "maxhullvert" | "nrow" | "ncol" | "nchannel" | "height"
        | "nsample" | "actdim" | "num" | "subgrid" | "activelayers" => INTEGER,
        _ => return real(attribute).then_some(REAL),
    })
}

/// Attributes that hold one number on every element that has them.
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

/// What the renderer's settings hold.
fn visual(tag: &str, attribute: &str) -> Kind {
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
