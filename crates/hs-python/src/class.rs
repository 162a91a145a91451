//! The class of a Python object, by the names that tell what to do with it: no module is imported for the question.

use std::rc::Rc;

use pyo3::prelude::*;
use pyo3::types::PyType;

/// A class and its names.
#[derive(Clone)]
pub struct Class<'py> {
    /// The class itself.
    pub kind: Bound<'py, PyType>,
    names: Rc<Names>,
}

/// The names of a class.
pub struct Names {
    /// The first part of the name of its module.
    pub module: String,
    /// Its own name.
    pub name: String,
    /// Its name with the modules and classes that it is in.
    pub whole: String,
}

impl<'py> Class<'py> {
    /// The names of a class.
    ///
    /// # Errors
    /// What the class's own attributes raise.
    pub fn of(kind: Bound<'py, PyType>) -> PyResult<Self> {
        let module = kind.module()?.to_string_lossy().into_owned();
        let whole = format!("{module}.{}", kind.qualname()?.to_string_lossy());
        let names = Names {
            module: module.split('.').next().unwrap_or_default().to_owned(),
            name: kind.name()?.to_string_lossy().into_owned(),
            whole,
        };
        Ok(Self {
            kind,
            names: Rc::new(names),
        })
    }
}

impl std::ops::Deref for Class<'_> {
    type Target = Names;

    fn deref(&self) -> &Names {
        &self.names
    }
}

/// The first part of the name of the module that an object's class is from.
pub fn top_module(object: &Bound<'_, PyAny>) -> PyResult<String> {
    let module = object.get_type().module()?;
    let module = module.to_str().unwrap_or_default();
    Ok(module.split('.').next().unwrap_or_default().to_owned())
}
