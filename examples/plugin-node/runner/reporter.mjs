// The reporter that node --test loads: it prints one line of JSON for each event to
// standard output. It runs in the runner's process, never in that of a test. Its file name
// has a random token with which every line begins, so that nothing else on standard output
// is mistaken for a result.
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { fileURLToPath } from 'node:url';

const mark = `proctor-node:${/reporter-(\w+)\.mjs/.exec(import.meta.url)?.[1] ?? 'x'} `;

// The protocol's limit for one text, applied here too, so that lines do not get too long.
const maxText = 64 * 1024;
// Nobody compares deeper values by eye.
const inspectOptions = { depth: 12, breakLength: 100, maxArrayLength: 500, maxStringLength: maxText, sorted: true };

const wanted = new Set(['enqueue', 'dequeue', 'start', 'complete', 'pass', 'fail', 'diagnostic', 'stdout', 'stderr']);

export default async function* report(source) {
  yield formatLine({ e: 'begin', node: process.version, cwd: process.cwd() });
  for await (const { type, data } of source) {
    const e = type.slice('test:'.length);
    if (wanted.has(e)) yield formatLine(toEvent(e, data));
  }
  yield formatLine({ e: 'end' });
}

function formatLine(value) {
  return `${mark}${JSON.stringify(value)}\n`;
}

function toEvent(e, data) {
  const out = { e, n: data.nesting, file: data.file, at: data.line, col: data.column };
  if (data.name !== undefined) out.name = cutText(data.name);
  if (data.message !== undefined) out.text = cutText(data.message);
  if (data.testNumber !== undefined) out.no = data.testNumber;
  if (data.skip !== undefined) out.skip = data.skip === true ? '' : cutText(data.skip);
  if (data.todo !== undefined) out.todo = data.todo === true ? '' : cutText(data.todo);
  const details = data.details ?? {};
  if (details.duration_ms !== undefined) out.ms = details.duration_ms;
  const kind = details.type ?? data.type ?? (e === 'start' || e === 'dequeue' ? declaredKind(data) : undefined);
  if (kind !== undefined) out.kind = kind;
  if (e === 'complete') out.passed = details.passed === true || (details.passed === undefined && !details.error);
  if (details.error !== undefined && (e === 'fail' || e === 'complete')) out.error = toFailure(details.error);
  return out;
}

// toFailure converts the runner's wrapper around what a test threw.
function toFailure(error) {
  const out = { type: error?.failureType, message: cutText(error?.message), exit: error?.exitCode, signal: error?.signal };
  const cause = error?.cause;
  if (cause !== null && typeof cause === 'object') out.cause = toThrown(cause);
  else if (cause !== undefined) out.cause = { message: cutText(cause) };
  return out;
}

function toThrown(error) {
  const isError = typeof error.stack === 'string' || typeof error.message === 'string';
  const out = { message: isError ? cutText(error.message) : inspectValue(error) };
  if (!isError) return out;
  out.name = cutText(error.name);
  out.stack = cutText(error.stack);
  out.code = typeof error.code === 'string' ? error.code : undefined;
  out.generated = error.generatedMessage === true;
  if ('expected' in error || 'actual' in error) {
    const plain = typeof error.expected === 'string' && typeof error.actual === 'string';
    out.want = plain ? cutText(error.expected) : inspectValue(error.expected);
    out.got = plain ? cutText(error.actual) : inspectValue(error.actual);
    out.operator = cutText(error.operator);
  }
  const inner = error.cause;
  if (inner !== undefined) out.because = cutText(inner?.stack ?? inspectValue(inner));
  return out;
}

function inspectValue(value) {
  try {
    return cutText(inspect(value, inspectOptions));
  } catch (error) {
    return `(cannot be shown: ${error?.message})`;
  }
}

function cutText(value) {
  if (value === undefined) return undefined;
  const text = String(value).toWellFormed();
  return text.length <= maxText ? text : `${text.slice(0, maxText)}[TRUNCATED]`;
}

// declaredKind reads from the source whether a call declares a suite or a test. Node 20
// reports that only when the suite has ended, but the names of the tests inside depend on
// it.
function declaredKind({ file, line: at, column }) {
  const text = readSourceLine(file, at);
  if (text === undefined || !column) return undefined;
  const call = /^[\w$]+/.exec(text.slice(column - 1))?.[0];
  const before = /([\w$]+)\s*\.\s*$/.exec(text.slice(0, column - 1))?.[1];
  const name = ['only', 'skip', 'todo'].includes(call) ? before : call;
  if (name === 'describe' || name === 'suite') return 'suite';
  if (name === 'test' || name === 'it') return 'test';
  return undefined;
}

const sources = new Map();

function readSourceLine(file, at) {
  if (typeof file !== 'string') return undefined;
  if (!sources.has(file)) {
    let lines = [];
    try {
      lines = readFileSync(file.startsWith('file:') ? fileURLToPath(file) : file, 'utf8').split('\n');
    } catch {
      // It cannot be read: the runner reports the kind later.
    }
    sources.clear(); // results come file by file; one is enough to keep
    sources.set(file, lines);
  }
  return sources.get(file)[at - 1];
}
