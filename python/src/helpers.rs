//! The Python code that native code calls. The package passes it in when it is imported.

use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

/// Named tuples and functions, by name.
static HELPERS: PyOnceLock<Py<PyDict>> = PyOnceLock::new();

/// Takes the named tuples and functions that native code calls, by name.
#[pyfunction]
pub fn set_helpers(py: Python<'_>, helpers: Py<PyDict>) {
    HELPERS.get_or_init(py, || helpers);
}

/// Calls a helper.
pub fn call<'py>(py: Python<'py>, name: &str, arguments: impl PyCallArgs<'py>) -> PyResult<Bound<'py, PyAny>> {
    let helpers = HELPERS.get(py).ok_or_else(|| PyImportError::new_err("import fourbase, not its native module"))?;
    helpers.bind(py).as_any().get_item(name)?.call1(arguments)
}
