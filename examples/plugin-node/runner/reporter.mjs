// The reporter that node --test loads: one line of JSON an event on standard
// output. It runs in the process of the runner, never in that of a test, and its
// file name carries the word that begins every line, so that nothing else that
// lands on standard output is taken for a result.
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { fileURLToPath } from 'node:url';

const mark = `proctor-node:${/reporter-(\w+)\.mjs/.exec(import.meta.url)?.[1] ?? 'x'} `;

// What proctor takes of one text; cut here too, so that a line stays readable.
const maxText = 64 * 1024;
// A value that is deeper is nothing that a reader compares by eye.
const inspectOptions = { depth: 12, breakLength: 100, maxArrayLength: 500, maxStringLength: maxText, sorted: true };

const wanted = new Set(['enqueue', 'dequeue', 'start', 'complete', 'pass', 'fail', 'diagnostic', 'stdout', 'stderr']);

export default async function* report(source) {
  yield line({ e: 'begin', node: process.version, cwd: process.cwd() });
  for await (const { type, data } of source) {
    const e = type.slice('test:'.length);
    if (wanted.has(e)) yield line(event(e, data));
  }
  yield line({ e: 'end' });
}

function line(value) {
  return `${mark}${JSON.stringify(value)}\n`;
}

function event(e, data) {
  const out = { e, n: data.nesting, file: data.file, at: data.line, col: data.column };
  if (data.name !== undefined) out.name = cut(data.name);
  if (data.message !== undefined) out.text = cut(data.message);
  if (data.testNumber !== undefined) out.no = data.testNumber;
  if (data.skip !== undefined) out.skip = data.skip === true ? '' : cut(data.skip);
  if (data.todo !== undefined) out.todo = data.todo === true ? '' : cut(data.todo);
  const details = data.details ?? {};
  if (details.duration_ms !== undefined) out.ms = details.duration_ms;
  const kind = details.type ?? data.type ?? (e === 'start' || e === 'dequeue' ? declared(data) : undefined);
  if (kind !== undefined) out.kind = kind;
  if (e === 'complete') out.passed = details.passed === true || (details.passed === undefined && !details.error);
  if (details.error !== undefined && (e === 'fail' || e === 'complete')) out.error = failure(details.error);
  return out;
}

// failure is the runner's wrapper around what a test threw.
function failure(error) {
  const out = { type: error?.failureType, message: cut(error?.message), exit: error?.exitCode, signal: error?.signal };
  const cause = error?.cause;
  if (cause !== null && typeof cause === 'object') out.cause = thrown(cause);
  else if (cause !== undefined) out.cause = { message: cut(cause) };
  return out;
}

function thrown(error) {
  const isError = typeof error.stack === 'string' || typeof error.message === 'string';
  const out = { message: isError ? cut(error.message) : show(error) };
  if (!isError) return out;
  out.name = cut(error.name);
  out.stack = cut(error.stack);
  out.code = typeof error.code === 'string' ? error.code : undefined;
  out.generated = error.generatedMessage === true;
  if ('expected' in error || 'actual' in error) {
    const plain = typeof error.expected === 'string' && typeof error.actual === 'string';
    out.want = plain ? cut(error.expected) : show(error.expected);
    out.got = plain ? cut(error.actual) : show(error.actual);
    out.operator = cut(error.operator);
  }
  const inner = error.cause;
  if (inner !== undefined) out.because = cut(inner?.stack ?? show(inner));
  return out;
}

function show(value) {
  try {
    return cut(inspect(value, inspectOptions));
  } catch (error) {
    return `(cannot be shown: ${error?.message})`;
  }
}

function cut(value) {
  if (value === undefined) return undefined;
  const text = String(value).toWellFormed();
  return text.length <= maxText ? text : `${text.slice(0, maxText)}[TRUNCATED]`;
}

// declared reads in the source whether the call that declared a test was one of
// a suite. Node 20 tells it only when the suite has ended, and the names of the
// tests inside depend on it.
function declared({ file, line: at, column }) {
  const text = sourceLine(file, at);
  if (text === undefined || !column) return undefined;
  const call = /^[\w$]+/.exec(text.slice(column - 1))?.[0];
  const before = /([\w$]+)\s*\.\s*$/.exec(text.slice(0, column - 1))?.[1];
  const name = ['only', 'skip', 'todo'].includes(call) ? before : call;
  if (name === 'describe' || name === 'suite') return 'suite';
  if (name === 'test' || name === 'it') return 'test';
  return undefined;
}

const sources = new Map();

function sourceLine(file, at) {
  if (typeof file !== 'string') return undefined;
  if (!sources.has(file)) {
    let lines = [];
    try {
      lines = readFileSync(file.startsWith('file:') ? fileURLToPath(file) : file, 'utf8').split('\n');
    } catch {
      // Not to be read: the runner tells the kind later.
    }
    sources.clear(); // results come file by file; one is enough to keep
    sources.set(file, lines);
  }
  return sources.get(file)[at - 1];
}
