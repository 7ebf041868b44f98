'use strict';
// Loaded before every test file. When a file calls process.exit, Node's runner discards
// what the file has not yet reported, and treats exit code 0 as a pass. So this tells the
// plugin of the call, and where it is, on standard error.
const parentVariable = 'PROCTOR_NODE_RUNNER';

if (process.env.NODE_TEST_CONTEXT === undefined) {
  process.env[parentVariable] = String(process.pid);
} else if (process.env[parentVariable] === String(process.ppid)) {
  // The processes that a test starts inherit these variables, but are none of our business.
  const { writeSync } = require('node:fs');
  const exit = process.exit;
  process.exit = function (code) {
    const holder = {};
    Error.captureStackTrace(holder, process.exit);
    try {
      const call = { code: code ?? process.exitCode ?? 0, stack: String(holder.stack).slice(0, 16384) };
      writeSync(2, `\nproctor-node-exit ${JSON.stringify(call)}\n`);
    } catch {
      // Standard error is closed or full: the runner still reports what it knows.
    }
    return exit.apply(this, arguments);
  };
}
