// Only for `vite dev`: what Vite bundles beforehand does not find its worker.
export default { optimizeDeps: { exclude: ["fourbase"] } };
