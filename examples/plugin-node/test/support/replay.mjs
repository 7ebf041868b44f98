// Replays a recorded output to the parser, in chunks of any size, and combines the events
// into one value that can be compared with events.json.
import { readFileSync } from 'node:fs';
import { Parser } from '../../src/parser.mjs';
import { makeCodec } from '../../src/wire.mjs';

export const cases = new URL('../../testdata/cases/', import.meta.url);

const response = makeCodec('proctor.detector.v1.ParseTestFailuresResponse');

export function replay(name, chunk = Infinity) {
  const read = (file) => readFileSync(new URL(`${name}/${file}`, cases));
  const [exit, run] = ['exit.json', 'run.json'].map((file) => JSON.parse(read(file)));
  return parse(read('stdout.jsonl'), read('stderr.txt'), exit, chunk, run.argv);
}

export function parse(stdout, stderr, exit, chunk = Infinity, argv = []) {
  const all = {};
  const sender = {
    add(field, event) {
      if (field === 'conditions') return; // the version that recorded it
      (all[field] ??= []).push(event);
    },
  };
  const command = argv.length > 0 ? { argv } : undefined;
  const parser = new Parser({ workspace: { root: '/project' }, command }, sender);
  for (const [stream, data] of [['STREAM_STDOUT', stdout], ['STREAM_STDERR', stderr]]) {
    for (let at = 0; at < data.length; at += chunk) parser.write(stream, data.subarray(at, Math.min(at + chunk, data.length)));
  }
  parser.end({ signal: '', timedOut: false, cancelled: false, unknown: false, ...exit });
  // Encoded and decoded, so that the comparison is with what a host gets.
  return tidy(response.decode(response.encode(all)));
}

// tidy omits empty fields, and converts bytes to text.
function tidy(value) {
  if (Buffer.isBuffer(value)) return value.toString('utf8');
  if (Array.isArray(value)) return value.map(tidy);
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value)
    .map(([key, part]) => [key, tidy(part)])
    .filter(([key, part]) => !empty(part) && !/UNSPECIFIED$/.test(part) && key !== 'elapsedNanos');
  return Object.fromEntries(kept);
}

function empty(value) {
  if (value === null || value === undefined || value === '' || value === 0 || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
