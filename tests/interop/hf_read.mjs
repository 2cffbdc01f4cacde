// hf_read.mjs - reads the headers of local files with @huggingface/gguf.
//
// usage: node hf_read.mjs FOLDER < PATHS      FOLDER holds the node_modules
//
// A line for each path as soon as it is known: "accept" or "reject REASON".

import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { writeSync } from "node:fs";

const { gguf } = createRequire(`${process.argv[2]}/`)("@huggingface/gguf");

async function verdict(path) {
  try {
    await gguf(path, { allowLocalFile: true });
    return "accept";
  } catch (error) {
    const reason = error?.message ?? String(error);
    return `reject ${reason.replace(/\s+/g, " ").slice(0, 200)}`;
  }
}

for await (const path of createInterface({ input: process.stdin })) {
  writeSync(1, `${await verdict(path)}\n`);
}
