// The same in Vite, webpack, Parcel, esbuild and Rollup.
import { Fourbase } from "fourbase";

async function show(position) {
  const fourbase = await Fourbase.start({ first: "7x6" });
  const { value, remoteness } = await fourbase.analyse("7x6", position);
  const solved = await fourbase.solve("4x4");
  document.body.textContent = `${value} in ${remoteness}, 4x4: ${solved.value}`;
}

show("4453").catch((error) => { document.body.textContent = error.message; });
