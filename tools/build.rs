//! Builds the program anew when a file of the page is added: `include_dir!` sees only changes of those that it has included.

fn main() {
    println!("cargo:rerun-if-changed=page");
}
