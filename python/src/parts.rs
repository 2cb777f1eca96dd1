//! Parts of the package that are written in Python. The package passes them in when it is imported.

use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

/// The parts by name.
static PARTS: PyOnceLock<Py<PyDict>> = PyOnceLock::new();

/// Takes the parts that native code calls: named tuples and functions, by name.
#[pyfunction]
pub fn connect(py: Python<'_>, parts: Py<PyDict>) {
    PARTS.get_or_init(py, || parts);
}

/// Calls a part.
pub fn call<'py>(py: Python<'py>, name: &str, arguments: impl PyCallArgs<'py>) -> PyResult<Bound<'py, PyAny>> {
    let parts = PARTS.get(py).ok_or_else(|| PyImportError::new_err("import fourbase, not its native module"))?;
    parts.bind(py).as_any().get_item(name)?.call1(arguments)
}
