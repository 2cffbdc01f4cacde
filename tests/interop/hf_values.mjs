// hf_values.mjs - what @huggingface/gguf reads of the headers of local files.
//
// usage: node hf_values.mjs FOLDER < PATHS      FOLDER holds the node_modules
//
// A line of JSON for each path: {"keys": {KEY: {"type", "subType", "value"}},
// "tensors": [...], "dataOffset"} or {"error"}. Integers are strings of digits,
// floats {"f64": BITS}, so that nothing is rounded on the way.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { writeSync } from "node:fs";

const { gguf } = createRequire(`${process.argv[2]}/`)("@huggingface/gguf");
const FLOATS = [6, 12];

function bits(number) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, number);
  return { f64: view.getBigUint64(0).toString(16).padStart(16, "0") };
}

// `float`: whether the numbers in it are floats.
function plain(value, float) {
  if (Array.isArray(value)) return value.map((v) => plain(v, float));
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return float ? bits(value) : `${value}`;
  return value;
}

// An array of arrays has no type that says so: then as floats, all of them.
function entry({ type, subType, value }) {
  const float = FLOATS.includes(subType ?? type) || subType === 9;
  return { type, subType, value: plain(value, float) };
}

async function read(path) {
  const found = await gguf(path, { allowLocalFile: true, typedMetadata: true });
  const keys = {};
  for (const [key, value] of Object.entries(found.typedMetadata))
    keys[key] = entry(value);
  const tensors = found.tensorInfos.map((t) => ({
    name: t.name,
    shape: t.shape.map(Number),
    type: t.dtype,
    offset: Number(t.offset),
  }));
  return { keys, tensors, dataOffset: Number(found.tensorDataOffset) };
}

async function report(path) {
  try {
    return await read(path);
  } catch (error) {
    return { error: error?.message ?? String(error) };
  }
}

for await (const path of createInterface({ input: process.stdin })) {
  let text = `${JSON.stringify(await report(path))}\n`;
  let bytes = Buffer.from(text);
  while (bytes.length > 0) bytes = bytes.subarray(writeSync(1, bytes));
}
