// The commands of a run: node --test with this plugin's reporter.
import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { preload, reporter } from './assets.mjs';
import { CannotError } from './errors.mjs';
import { globRegExp, isGlob, isTestFile, walkFiles } from './glob.mjs';
import { findNodeTest, readPackage } from './project.mjs';

// How far the runner's own time limit is below the host's, so that it can still report.
const marginPart = 0.1;
const leastMargin = 1000;
const mostMargin = 15_000;

// A command line is limited (on Linux to 128 KiB an argument and 2 MiB in total, on Windows to
// 32 KiB); more files than this, in bytes, go into several commands.
const maxArguments = 24 * 1024;

const maxShown = 200; // characters of a script in a warning

// The first version of Node that expands patterns itself.
const firstWithGlobs = 21;

export function testCmd(request) {
  const { workspace, selection, runnerArgs, deadlineMillis } = request;
  const node = findNode(workspace);
  const settings = findNodeTest(readPackage(workspace.root));
  const warnings = [];
  if (settings?.unclear) {
    warnings.push(
      `the "${settings.script}" script of package.json needs a shell, so it is ignored: node --test runs the test files it finds by itself`,
    );
  }
  if (settings?.sets) {
    warnings.push(`the "${settings.script}" script of package.json sets ${settings.sets}, and proctor leaves that out: set it yourself`);
  }
  if (settings?.after) {
    warnings.push(`the "${settings.script}" script of package.json goes on after node --test, and proctor leaves that out: ${settings.after.slice(0, maxShown)}`);
  }
  if (nodeMajor(workspace) < firstWithGlobs && settings?.paths?.some(isGlob)) {
    warnings.push(`the "${settings.script}" script of package.json has globs, which Node.js before ${firstWithGlobs} does not expand: proctor expanded them, but the script itself fails`);
  }
  const files = selectFiles(workspace.root, selection ?? {}, settings?.paths ?? []);
  if (files?.length === 0) return { commands: [], warnings: [...warnings, 'no test file matches the selection'] };
  const flags = [...(settings?.flags ?? []), ...timeoutFlags(deadlineMillis, [...(settings?.flags ?? []), ...runnerArgs]), ...runnerArgs];
  if (selection?.testPattern) flags.push(`--test-name-pattern=${checkPattern(selection.testPattern)}`);
  return {
    commands: splitBatches(files ?? []).map((part) => newCommand(node, flags, part)),
    warnings,
    narrowedBy: [
      ...(settings?.narrowed ?? []).map((flag) => `${flag} in the "${settings.script}" script of package.json`),
      ...(settings?.left ?? []).map((text) => `package.json without ${text.slice(0, maxShown)}`),
    ],
  };
}

// newCommand returns one call of node --test. The reporter's name has a random token that
// the tests do not know: see runner/reporter.mjs.
export function newCommand(node, flags, files, targets = []) {
  const token = randomBytes(8).toString('hex');
  return {
    argv: [
      node,
      '--test',
      '--require={scratch}/preload.cjs',
      `--test-reporter={scratch}/reporter-${token}.mjs`,
      '--test-reporter-destination=stdout',
      ...flags,
      ...files.map((file) => (file.startsWith('-') ? `./${file}` : file)),
    ],
    // Colors would only have to be removed again.
    env: { NO_COLOR: '1', FORCE_COLOR: '0' },
    inputs: [
      { name: `reporter-${token}.mjs`, data: Buffer.from(reporter) },
      { name: 'preload.cjs', data: Buffer.from(preload) },
    ],
    targets,
    unsetEnv: ['NODE_TEST_CONTEXT', 'NODE_V8_COVERAGE'],
  };
}

export function timeoutFlags(deadlineMillis, flags) {
  if (!deadlineMillis || flags.some((flag) => /^--test-timeout(=|$)/.test(flag))) return [];
  const margin = Math.min(mostMargin, Math.max(leastMargin, deadlineMillis * marginPart));
  return deadlineMillis > 2 * margin ? [`--test-timeout=${Math.floor(deadlineMillis - margin)}`] : [];
}

export function findNode(workspace) {
  const node = workspace.tools?.node;
  if (!node) throw new CannotError('TOOL_NOT_FOUND', 'node was not found on PATH: install Node.js 20 or newer');
  const major = nodeMajor(workspace);
  if (major < 20) throw new CannotError('TOOL_TOO_OLD', `${node} has version ${major}; this plugin needs Node.js 20 or newer`);
  return node;
}

// nodeMajor returns the major version of node, or NaN if it is unknown. NaN is neither
// less nor greater than any number.
export function nodeMajor(workspace) {
  const text = workspace.probes?.version?.stdout?.toString('utf8');
  return Number(/^v(\d+)\./.exec(text ?? '')?.[1]);
}

// checkPattern rejects what is not a regular expression, and keeps node from reading a
// pattern such as /x/i as a literal with flags.
function checkPattern(text) {
  try {
    new RegExp(text);
  } catch (error) {
    throw new CannotError('INVALID_SELECTION', error.message);
  }
  return text.startsWith('/') ? `(?:)${text}` : text;
}

// selectFiles returns the files to run, or undefined to leave the choice to node.
function selectFiles(root, selection, paths) {
  const asked = selection.suites?.length ? selection.suites : paths;
  const explicit = selection.suites?.length > 0;
  if (asked.length === 0 && !selection.pathPattern) return undefined;
  const found = new Set();
  const matchers = [];
  for (const suite of asked) {
    const clean = suite.replace(/^\.\//, '').replace(/\/+$/, '') || '.';
    if (existsSync(join(root, clean)) && clean !== '.' && statSync(join(root, clean)).isFile()) found.add(clean);
    else if (clean === '.' || clean === '...') matchers.push(isTestFile);
    else if (isGlob(clean)) matchers.push((path) => globRegExp(clean).test(path));
    else if (existsSync(join(root, clean))) matchers.push((path) => path.startsWith(`${clean}/`) && isTestIn(clean, path));
    else if (!explicit) found.add(clean); // node says that it is missing, and runs nothing
    else throw new CannotError('INVALID_SELECTION', `there is no file or directory ${JSON.stringify(suite)} in the project`);
  }
  if (asked.length === 0) matchers.push(isTestFile);
  if (matchers.length > 0) walkFiles(root, (path) => void (matchers.some((match) => match(path)) && found.add(path)));
  const narrow = selection.pathPattern ? globRegExp(selection.pathPattern.replace(/^\.\//, '')) : undefined;
  return [...found].filter((path) => !narrow || narrow.test(path)).sort();
}

// isTestIn is node's rule for a directory that was named: everything in a directory
// "test", otherwise files that are named like tests.
function isTestIn(directory, path) {
  return isTestFile(/(^|\/)test$/.test(directory) ? `test/${path}` : path);
}

function splitBatches(files) {
  const out = [[]];
  let size = 0;
  for (const file of files) {
    const next = Buffer.byteLength(file) + 1;
    if (size + next > maxArguments && out.at(-1).length > 0) {
      out.push([]);
      size = 0;
    }
    out.at(-1).push(file);
    size += next;
  }
  return out;
}
