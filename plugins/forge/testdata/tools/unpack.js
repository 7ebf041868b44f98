// Unpacks the compiler of the npm package solc, so that it starts quickly:
//
//	node unpack.js npm/node_modules/solc compiler
//
// soljson.js carries its WebAssembly as 10 MB of compressed base64 in front of
// the program; taking that apart is most of the time of a start.
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const [from, to] = process.argv.slice(2);
const source = fs.readFileSync(path.join(from, 'soljson.js'), 'utf8');
const program = source.indexOf('\nvar Module = typeof Module');
if (program < 0) throw new Error(`${from}/soljson.js is not built as expected: unpack.js must follow`);
const wasm = vm.runInThisContext(`(function () {${source.slice(0, program)}; return Module.wasmBinary; })()`);

fs.mkdirSync(to, { recursive: true });
fs.writeFileSync(path.join(to, 'soljson.wasm'), wasm);
fs.writeFileSync(path.join(to, 'soljson.js'),
  'var Module = { wasmBinary: require("fs").readFileSync(__dirname + "/soljson.wasm") };' + source.slice(program));
const solc = require(path.resolve(from));
fs.writeFileSync(path.join(to, 'version'), solc.version());
