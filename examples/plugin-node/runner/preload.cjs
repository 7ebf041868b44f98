'use strict';
// Loaded before every test file. When a file calls process.exit, Node's runner discards
// what the file has not yet reported, and treats exit code 0 as a pass. So this tells the
// plugin of the call, and where it is, on standard error.
const parentVariable = 'PROCTOR_NODE_RUNNER';

if (process.env.NODE_TEST_CONTEXT === undefined) {
  process.env[parentVariable] = String(process.pid);
} else if (process.env[parentVariable] === String(process.ppid) && require('node:worker_threads').isMainThread) {
  // The processes that a test starts inherit these variables, but are none of our business.
  // In a worker, process.exit ends only the worker.
  const { writeSync } = require('node:fs');
  let told = false;
  // process.exit calls process.reallyExit, and some packages call that themselves.
  for (const name of ['exit', 'reallyExit']) {
    const exit = process[name];
    process[name] = function (code) {
      if (told) return exit.apply(this, arguments);
      const holder = {};
      Error.captureStackTrace(holder, process[name]);
      try {
        const call = { code: code ?? process.exitCode ?? 0, stack: String(holder.stack).slice(0, 16384) };
        writeSync(2, `\nproctor-node-exit ${JSON.stringify(call)}\n`);
        told = true;
      } catch {
        // Standard error is closed or full. Without the line a code of 0 would be a pass.
        return exit.call(this, code || process.exitCode || 1);
      }
      return exit.apply(this, arguments);
    };
  }
}
