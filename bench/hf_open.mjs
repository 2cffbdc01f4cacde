// hf_open.mjs - reads the header of a local GGUF file with @huggingface/gguf.
//
// usage: node hf_open.mjs FOLDER FILE      FOLDER holds the node_modules

import { createRequire } from "node:module";

const [folder, file] = process.argv.slice(2);
const { gguf } = createRequire(`${folder}/`)("@huggingface/gguf");

await gguf(file, { allowLocalFile: true });
