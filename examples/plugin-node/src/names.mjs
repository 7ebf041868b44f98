// The names of tests: a path of node's names, written so that it can be split again.
//
//   outer > inner        inner is declared in the suite (describe) outer
//   parent / step        step is a subtest (t.test) of the test parent
//   name #2              the second of this name in the same place
//
// A rerun depends on the difference: node selects tests in suites by name, but runs
// subtests only together with the enclosing test.
import { createHash } from 'node:crypto';
import { cutText } from './text.mjs';

const maxName = 8 * 1024; // the protocol's limit

// joinName returns the name for a path. A step of a path is { name, in, ordinal }: in is
// the kind of what encloses it ('', 'suite' or 'test'), ordinal counts equal names from 1.
export function joinName(steps) {
  const text = steps
    .map((step, i) => (i === 0 ? '' : step.in === 'test' ? ' / ' : ' > ') + escapeName(step.name) + ordinalSuffix(step.ordinal))
    .join('');
  if (Buffer.byteLength(text) <= maxName) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${cutText(text, maxName - 32, '')}\\~${hash}`;
}

// splitName undoes joinName. If the name was truncated, its last step has cut set and only
// the beginning of the name.
export function splitName(text) {
  // After an even number of backslashes; otherwise the name itself ends like this.
  const whole = /^([^]*?(?<!\\)(?:\\\\)*)\\~[0-9a-f]{16}$/.exec(text)?.[1] ?? text;
  const shortened = whole !== text;
  const steps = [];
  for (const [, separator, body] of whole.matchAll(/(^| > | \/ )((?:\\[^]|(?! > | \/ )[^\\])*)/g)) {
    const [, escaped, digits] = /^([^]*?)(?: #(\d+))?$/.exec(body);
    steps.push({ name: unescapeName(escaped), in: separator === ' / ' ? 'test' : steps.length ? 'suite' : '', ordinal: Number(digits ?? 1) });
  }
  if (shortened && steps.length) steps.at(-1).cut = true;
  return steps;
}

// selectablePath returns the path of the test that node can select and that contains the
// one at the end of the path: everything before the first subtest.
export function selectablePath(steps) {
  const first = steps.findIndex((step) => step.in === 'test');
  return first < 0 ? steps : steps.slice(0, first);
}

function ordinalSuffix(ordinal) {
  return ordinal > 1 ? ` #${ordinal}` : '';
}

const controls = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeName(name) {
  if (name === '') return '\\e';
  return name
    .replace(/\\/g, '\\\\')
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, (c) => controls[c] ?? `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replace(/ (?=[>/] )/g, ' \\')
    .replace(/^(?=[>/] )/, '\\')
    .replace(/ (?=[>/]$)/, ' \\')
    .replace(/ #(?=\d+$)/, ' \\#');
}

function unescapeName(text) {
  const plain = { n: '\n', r: '\r', t: '\t', e: '' };
  return text.replace(/\\(x([0-9a-f]{2})|[^])/g, (_, c, hex) => (hex ? String.fromCharCode(parseInt(hex, 16)) : plain[c] ?? c));
}
