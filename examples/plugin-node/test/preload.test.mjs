import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ending } from '../src/ending.mjs';

const preload = fileURLToPath(new URL('../runner/preload.cjs', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'plugin-node-'));
after(() => rmSync(dir, { recursive: true }));

// run executes a test file as node's runner does.
function run(text, ...flags) {
  const file = join(dir, 'a.test.js');
  writeFileSync(file, text);
  const env = { ...process.env, NODE_TEST_CONTEXT: 'child', PROCTOR_NODE_RUNNER: String(process.pid) };
  const { status, stderr } = spawnSync(process.execPath, ['--require', preload, ...flags, file], { env, encoding: 'utf8' });
  const calls = [...stderr.matchAll(/^proctor-node-exit (.*)$/gm)].map((m) => JSON.parse(m[1]));
  return { status, calls };
}

// failuresOf returns what the plugin makes of the calls.
function failuresOf(calls) {
  const ending = new Ending();
  for (const call of calls) ending.exitCall(JSON.stringify(call));
  return ending.close({ complete: true }, { root: dir, suite: 'a.test.js' }).failures.map((failure) => failure.kind);
}

describe('a test file that exits', () => {
  for (const call of ['setTimeout(process.exit, 1, 0)', 'Promise.resolve(0).then(process.exit)', 'Error.stackTraceLimit = 0; process.exit(0)']) {
    test(`by ${call} fails`, () => assert.deepEqual(failuresOf(run(call).calls), ['exit']));
  }
  test('does not fail if the runner ends it', () => {
    const { status, calls } = run("require('node:test')('a', () => {}); setInterval(() => {}, 1000)", '--test-force-exit');
    assert.deepEqual({ status, failures: failuresOf(calls), ended: calls.length }, { status: 0, failures: [], ended: 1 });
  });
  for (const call of ['process.exit(0)', 'process.reallyExit(0)', "process.on('exit', () => process.reallyExit(0))"]) {
    test(`by ${call} is told`, () => {
      const { status, calls } = run(call);
      assert.equal(status, 0);
      assert.deepEqual(calls.map((each) => each.code), [0]);
      assert.match(calls[0].stack, /a\.test\.js:1/);
    });
  }
  test('fails if that cannot be told', () => {
    assert.equal(run("require('node:fs').closeSync(2); process.exit(0)").status, 1);
  });
  test('only in a worker goes on', () => {
    const { status, calls } = run("new (require('node:worker_threads').Worker)('process.exit(0)', { eval: true })");
    assert.deepEqual({ status, calls }, { status: 0, calls: [] });
  });
});
