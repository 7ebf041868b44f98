'use strict';
// Loaded before every test file. Node's runner throws away what a file has not
// yet reported when the file calls process.exit, and calls exit code 0 a pass.
// So the call is told to the plugin, on standard error, with where it stands.
const parentVariable = 'PROCTOR_NODE_RUNNER';

if (process.env.NODE_TEST_CONTEXT === undefined) {
  process.env[parentVariable] = String(process.pid);
} else if (process.env[parentVariable] === String(process.ppid)) {
  // The processes that a test starts inherit all this, and are none of ours.
  const { writeSync } = require('node:fs');
  const exit = process.exit;
  process.exit = function (code) {
    const holder = {};
    Error.captureStackTrace(holder, process.exit);
    try {
      const told = { code: code ?? process.exitCode ?? 0, stack: String(holder.stack).slice(0, 16384) };
      writeSync(2, `\nproctor-node-exit ${JSON.stringify(told)}\n`);
    } catch {
      // Standard error is closed or full: the runner still tells what it knows.
    }
    return exit.apply(this, arguments);
  };
}
