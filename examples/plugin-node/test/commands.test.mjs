import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { testCmd } from '../src/commands.mjs';
import { detect } from '../src/detect.mjs';
import { rerunCmd } from '../src/rerun.mjs';

const made = [];
after(() => made.forEach((dir) => rmSync(dir, { recursive: true })));

function project(pkg, files = {}) {
  const root = mkdtempSync(join(tmpdir(), 'plugin-node-'));
  made.push(root);
  for (const [path, text] of Object.entries({ 'package.json': JSON.stringify(pkg), ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const probes = { version: { stdout: Buffer.from('v20.11.0\n'), exitCode: 0 } };
  return { root, tools: { node: '/bin/node' }, probes };
}

const files = { 'test/a.test.js': '', 'test/b.test.js': '', 'src/c.test.mjs': '', 'src/c.mjs': '', 'node_modules/x/x.test.js': '' };
const uses = "import test from 'node:test';";

// own returns the arguments without those that every command has.
function own(command) {
  return command.argv.slice(command.argv.indexOf('--test-reporter-destination=stdout') + 1);
}

function run(workspace, rest = {}) {
  return testCmd({ workspace, selection: {}, runnerArgs: [], deadlineMillis: 0, ...rest });
}

describe('a run', () => {
  test('leaves the choice of files to node', () => {
    const { commands } = run(project({}, files));
    assert.deepEqual(commands.map(own), [[]]);
  });
  test('runs files, directories and globs', () => {
    const workspace = project({}, files);
    const of = (...suites) => own(run(workspace, { selection: { suites } }).commands[0]);
    assert.deepEqual(of('test/b.test.js'), ['test/b.test.js']);
    assert.deepEqual(of('./src/'), ['src/c.test.mjs']);
    assert.deepEqual(of('**/*.test.{js,mjs}'), ['src/c.test.mjs', 'test/a.test.js', 'test/b.test.js']);
  });
  test('leaves a missing file of the script to node, which runs nothing then', () => {
    const { commands } = run(project({ scripts: { test: 'node --test test/a.test.js gone.test.js' } }, files));
    assert.deepEqual(own(commands[0]), ['gone.test.js', 'test/a.test.js']);
  });
  test('does not take the value of a flag for a file', () => {
    const { commands } = run(project({ scripts: { test: 'node --test --test-coverage-lines 80 --env-file-if-exists .env test/a.test.js' } }, files));
    assert.deepEqual(own(commands[0]).filter((word) => word.endsWith('.js')), ['test/a.test.js']);
    assert.ok(commands[0].argv.join(' ').includes('--test-coverage-lines 80 --env-file-if-exists .env'));
  });
  test('names the calls of node --test that it leaves out', () => {
    const narrowed = (scripts) => run(project({ scripts }, files)).narrowedBy;
    assert.deepEqual(narrowed({ test: 'node --test a && node --test b' }), ['package.json without node --test b']);
    assert.deepEqual(narrowed({ unit: 'node --test a', all: 'npm run unit && npm run it', it: 'node --test b' }), ['package.json without node --test b']);
    assert.deepEqual(narrowed({ test: 'node --test a && node --test' }), ['package.json without node --test']);
    assert.deepEqual(narrowed({ one: 'node --test a', all: 'node --test', more: 'node --test $(ls)' }), ['package.json without node --test', 'package.json without node --test $(ls)']);
    assert.deepEqual(narrowed({ test: 'node --test a', it: 'node --test b' }), []);
    assert.deepEqual(narrowed({ unit: 'node --test', watch: 'node --test --watch', one: 'node --test a' }), []);
  });
  test('does not take the files of another directory', () => {
    const { commands, warnings } = run(project({ scripts: { test: 'cd test && node --test a.test.js' } }, files));
    assert.deepEqual(own(commands[0]), []);
    assert.match(warnings.join(), /needs a shell/);
  });
  test('names the variables that it leaves out', () => {
    const warnings = (script) => run(project({ scripts: { test: script } }, files)).warnings.join();
    assert.match(warnings('cross-env STRICT=1 A=b node --test'), /sets STRICT=1 A=b, and proctor leaves that out/);
    assert.equal(warnings('c8 node --test'), '');
  });
  test('rejects a suite that does not exist', () => {
    assert.throws(() => run(project({}, files), { selection: { suites: ['nope'] } }), { reason: 'INVALID_SELECTION' });
  });
  test('does not mistake a suite for a flag', () => {
    const { commands } = run(project({}, { ...files, '--eval=1': '' }), { selection: { suites: ['--eval=1'] } });
    assert.deepEqual(own(commands[0]), ['./--eval=1']);
  });
  test('rejects an invalid pattern', () => {
    assert.throws(() => run(project({}, files), { selection: { testPattern: '(' } }), { reason: 'INVALID_SELECTION' });
  });
  test('of no file has no command', () => {
    assert.deepEqual(run(project({}, files), { selection: { pathPattern: '*.ts' } }).commands, []);
  });
  test('has a time limit below that of the host, unless the project sets one', () => {
    const workspace = project({});
    assert.deepEqual(own(run(workspace, { deadlineMillis: 60_000 }).commands[0]), ['--test-timeout=54000']);
    assert.deepEqual(own(run(workspace, { deadlineMillis: 60_000, runnerArgs: ['--test-timeout=5'] }).commands[0]), ['--test-timeout=5']);
  });
  test('follows the script of package.json', () => {
    const script = 'npm run lint && node --import ./setup.mjs --test --test-only --test-reporter=spec "src/*.test.mjs"';
    const { commands, narrowedBy } = run(project({ scripts: { test: script } }, files));
    assert.deepEqual(own(commands[0]), ['--import', './setup.mjs', '--test-only', 'src/c.test.mjs']);
    assert.deepEqual(narrowedBy, ['--test-only in the "test" script of package.json']);
  });
  test('says which part of the script it leaves out', () => {
    const { warnings } = run(project({ scripts: { test: 'node --test && eslint .' } }));
    assert.match(warnings.join(), /leaves that out: eslint \./);
  });
  test('warns if node does not expand the globs of the script', () => {
    const workspace = project({ scripts: { test: 'node --test "test/**/*.test.js"' } }, files);
    assert.match(run(workspace).warnings.join(), /does not expand/);
    const probes = { version: { stdout: Buffer.from('v22.1.0\n'), exitCode: 0 } };
    assert.deepEqual(run({ ...workspace, probes }).warnings, []);
  });
  test('warns if the script needs a shell', () => {
    const { commands, warnings } = run(project({ scripts: { test: 'node --test $(find . -name "*.js")' } }));
    assert.deepEqual(own(commands[0]), []);
    assert.equal(warnings.length, 1);
  });
  test('needs node 20 or newer', () => {
    const workspace = project({});
    assert.throws(() => run({ ...workspace, tools: {} }), { reason: 'TOOL_NOT_FOUND' });
    const probes = { version: { stdout: Buffer.from('v18.0.0\n') } };
    assert.throws(() => run({ ...workspace, probes }), { reason: 'TOOL_TOO_OLD' });
  });
});

describe('a rerun', () => {
  const rerun = (targets, workspace = project({}, files)) =>
    rerunCmd({ workspace, targets, runnerArgs: ['--test-shard', '1/2'], deadlineMillis: 0 });
  const id = (suite, name = '') => ({ suite, name });

  test('is one command for whole files, and one for equal names', () => {
    const targets = [id('test/a.test.js', 'x'), id('test/b.test.js', 'x'), id('src/c.test.mjs')];
    assert.deepEqual(rerun(targets).commands.map((each) => [own(each), each.targets.length]), [
      [['src/c.test.mjs'], 1],
      [['--test-name-pattern=^x$', 'test/a.test.js', 'test/b.test.js'], 2],
    ]);
  });
  test('of subtests runs the enclosing test once', () => {
    const targets = [id('test/a.test.js', 'p / one'), id('test/a.test.js', 'p / two')];
    assert.deepEqual(rerun(targets).commands.map(own), [['--test-name-pattern=^p$', 'test/a.test.js']]);
  });
  test('of the run itself runs everything', () => {
    const { commands } = rerun([id('', ''), id('test/a.test.js')]);
    assert.deepEqual(commands.map((each) => [own(each), each.targets.length]), [[['--test-shard', '1/2'], 2]]);
  });
  test('leaves out a missing file', () => {
    const { commands, warnings } = rerun([id('gone.test.js', 'x')]);
    assert.deepEqual([commands, warnings.length], [[], 1]);
  });
});

describe('a project', () => {
  const detected = (pkg, more) => detect({ workspace: project(pkg, more) });

  test('is detected if a script calls node --test', () => {
    assert.equal(detected({ scripts: { unit: 'c8 node --test' } }).detected, true);
  });
  test('is detected if a test file imports node:test', () => {
    assert.equal(detected({}, { 'test/x.js': uses }).detected, true);
    assert.equal(detected({}, { 'src/x.js': uses }).detected, false);
  });
  test('of another runner is not detected, with the reason', () => {
    const { detected: is, untested } = detected({ scripts: { test: 'jest' } }, { 'x.test.js': uses });
    assert.equal(is, false);
    assert.match(untested[0].reason, /jest/);
  });
  test('that cannot be read is not detected', () => {
    assert.equal(detected({}, { 'package.json': '{' }).detected, false);
    assert.equal(detected({}, { 'package.json': '[]' }).detected, false);
  });
});
