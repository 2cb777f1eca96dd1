//! Makes the JavaScript of a module for pages, and its final WebAssembly: `fourbase-bindgen MODULE FOLDER`. The files have the name of the
//! module.

#![forbid(unsafe_code)]

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder] = &arguments[..] else { return Err("give the file of a module and a folder".into()) };
    // Names of functions are a twelfth of a module, and only a trace of its stack shows them.
    Ok(Bindgen::new()
        .input_path(module)
        .web(true)?
        .omit_default_module_path(true)
        .typescript(false)
        .remove_name_section(true)
        .generate(folder)?)
}
