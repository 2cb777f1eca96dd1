// node js/examples/node.mjs: the moves of a position, the best ones first.
import { Fourbase } from "fourbase";

const fourbase = await Fourbase.start();
await fourbase.openBuiltIn("7x6");
const { children } = await fourbase.analyse("7x6", "4453");
for (const { column, value, remoteness } of children) console.log(`column ${column}: ${value} in ${remoteness}`);
await fourbase.close();
