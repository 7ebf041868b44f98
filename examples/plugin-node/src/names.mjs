// The names of tests: a path of node's names, so written that it can be taken
// apart again.
//
//   outer > inner        inner is declared in the suite (describe) outer
//   parent / step        step is a subtest (t.test) of the test parent
//   name #2              the second of this name in the same place
//
// A rerun depends on the difference: node selects tests inside of suites by name,
// and runs subtests only together with the test around them.
import { createHash } from 'node:crypto';
import { cutText } from './text.mjs';

const maxName = 8 * 1024; // the protocol's limit

// step is one part of a path: { name, in } where in is '', 'suite' or 'test', the
// kind of what is around it, and ordinal counts equal names from 1.
export function join(steps) {
  const text = steps
    .map((step, i) => (i === 0 ? '' : step.in === 'test' ? ' / ' : ' > ') + escape(step.name) + number(step.ordinal))
    .join('');
  if (Buffer.byteLength(text) <= maxName) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${cutText(text, maxName - 32, '')}\\~${hash}`;
}

// split undoes join. A name that was cut has cut set: its last step is only a
// beginning.
export function split(text) {
  // Behind an even number of backslashes: else it is a name that ends alike.
  const whole = /^([^]*?(?<!\\)(?:\\\\)*)\\~[0-9a-f]{16}$/.exec(text)?.[1] ?? text;
  const shortened = whole !== text;
  const steps = [];
  for (const [, separator, body] of whole.matchAll(/(^| > | \/ )((?:\\[^]|(?! > | \/ )[^\\])*)/g)) {
    const [, escaped, digits] = /^([^]*?)(?: #(\d+))?$/.exec(body);
    steps.push({ name: unescape(escaped), in: separator === ' / ' ? 'test' : steps.length ? 'suite' : '', ordinal: Number(digits ?? 1) });
  }
  if (shortened && steps.length) steps.at(-1).cut = true;
  return steps;
}

// listed returns the name of the test that node can select and that holds the
// one at the end of the path: everything up to the first subtest.
export function listed(steps) {
  const first = steps.findIndex((step) => step.in === 'test');
  return first < 0 ? steps : steps.slice(0, first);
}

function number(ordinal) {
  return ordinal > 1 ? ` #${ordinal}` : '';
}

const controls = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escape(name) {
  if (name === '') return '\\e';
  return name
    .replace(/\\/g, '\\\\')
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, (c) => controls[c] ?? `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replace(/ (?=[>/] )/g, ' \\')
    .replace(/^(?=[>/] )/, '\\')
    .replace(/ (?=[>/]$)/, ' \\')
    .replace(/ #(?=\d+$)/, ' \\#');
}

function unescape(text) {
  const plain = { n: '\n', r: '\r', t: '\t', e: '' };
  return text.replace(/\\(x([0-9a-f]{2})|[^])/g, (_, c, hex) => (hex ? String.fromCharCode(parseInt(hex, 16)) : plain[c] ?? c));
}
