#!/usr/bin/env node
// The compiler as forge calls it: `solc --version`, and `solc --standard-json`
// with the input on standard input. .ci/install-forge puts it where forge looks
// for solc 0.8.30, and all that it needs beside it, as a sandbox shows a
// compiler's directory alone.
//
// The same input gives the same output, so outputs are kept: the tests compile
// the same small projects again and again. PROCTOR_TEST_SOLC_CACHE=off compiles
// every time.
'use strict';
const fs = require('fs');
const path = require('path');

const compiler = path.join(__dirname, 'compiler');
const version = fs.readFileSync(path.join(compiler, 'version'), 'utf8');

if (process.argv.includes('--version')) {
  fs.writeSync(1, `solc, the solidity compiler commandline interface\nVersion: ${version}\n`);
} else {
  const input = fs.readFileSync(0, 'utf8');
  const output = process.env.PROCTOR_TEST_SOLC_CACHE === 'off' ? compile(input) : cached(input);
  writeAll(output);
}

function cached(input) {
  const key = require('crypto').createHash('sha256').update(version).update(input).digest('hex');
  const kept = path.resolve(__dirname, '../../../compiled', key + '.json');
  try {
    return fs.readFileSync(kept, 'utf8');
  } catch {
    const output = compile(input);
    keep(kept, output);
    return output;
  }
}

// Where that is not possible, such as in a sandbox, nothing is lost but time.
function keep(file, output) {
  const unfinished = `${file}.${process.pid}`;
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(unfinished, output);
    fs.renameSync(unfinished, file);
  } catch {
    return;
  }
}

function compile(input) {
  // Most functions of the compiler are never called: check those that are.
  require('v8').setFlagsFromString('--wasm-lazy-validation');
  const soljson = require(path.join(compiler, 'soljson.js'));
  const bindings = require(path.join(__dirname, 'npm/node_modules/solc/bindings')).default;
  return bindings(soljson).compileBindings.compileStandard(input);
}

// A pipe may take a part only, or nothing for the moment.
function writeAll(text) {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(fs.writeSync(1, rest));
    } catch (e) {
      if (e.code !== 'EAGAIN') throw e;
    }
  }
}
