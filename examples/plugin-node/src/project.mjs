// What package.json says about how to run the project's tests.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const maxPackage = 4 * 1024 * 1024; // a larger package.json is ignored

// Flags of node that take a value as a separate argument.
const withValue = new Set([
  '-r', '--require', '--import', '--loader', '--experimental-loader', '-C', '--conditions', '--env-file',
  '--test-concurrency', '--test-timeout', '--test-name-pattern', '--test-shard', '--test-reporter',
  '--test-reporter-destination', '--test-skip-pattern', '--test-isolation', '--experimental-test-isolation', '--test-global-setup',
  '--test-coverage-include', '--test-coverage-exclude', '--test-coverage-lines', '--test-coverage-branches', '--test-coverage-functions',
  '--env-file-if-exists', '--input-type', '--experimental-default-type', '--experimental-config-file', '--watch-path', '--disable-warning', '--title',
]);

// Flags that the plugin sets itself, or that would send the results elsewhere.
const ours = /^--(test|watch|test-reporter|test-reporter-destination)(=|$)/;
const narrowing = /^--test-(only|name-pattern|skip-pattern|shard)(=|$)/;

export function readPackage(root) {
  try {
    const path = join(root, 'package.json');
    if (statSync(path).size > maxPackage) return undefined;
    const value = JSON.parse(readFileSync(path, 'utf8'));
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function listScripts(pkg) {
  const all = pkg?.scripts;
  if (all === null || typeof all !== 'object') return [];
  const named = Object.entries(all).filter(([, text]) => typeof text === 'string');
  // "test" first: it is what its authors run.
  return named.sort(([a], [b]) => (b === 'test') - (a === 'test'));
}

// findNodeTest finds the script that calls node --test and parses its call:
// { script, sets, after, left, flags, paths, narrowed, unclear }, where sets are variables
// that the script sets, after is what it does next, and left are other calls, which run
// other files. It returns undefined if no script calls it.
export function findNodeTest(pkg) {
  const [call, ...others] = listScripts(pkg).flatMap(([script, text]) => findCalls(script, text));
  if (!call) return undefined;
  // The script "test" alone says what the project's tests are.
  const more = call.script === 'test' ? others.filter((each) => each.script === 'test') : others;
  // Without paths a call runs what node finds; of an unclear one, that is unknown.
  const runs = ({ paths }) => call.paths.length === 0 || (paths.length > 0 && paths.every((path) => call.paths.includes(path)));
  return { ...call, left: more.filter((each) => !call.unclear && !runs(each)).map((each) => each.text) };
}

function findCalls(script, text) {
  const parts = text.split(/&&|\|\||;/);
  return parts.flatMap((part, at) => {
    const call = /(?:^|\s)node(?:\.exe)?\s(.*)$/s.exec(part);
    if (!call || !/(^|\s)--test(\s|$)/.test(call[1])) return [];
    const parsed = parts.slice(0, at).some((each) => /^\s*(cd|pushd)\s/.test(each)) ? unclear : parseCall(call[1]);
    const sets = part.slice(0, call.index).match(/(?<=^|\s)[A-Za-z_]\w*=\S*/g)?.join(' ') ?? '';
    return [{ script, text: part.trim(), sets, after: parts.slice(at + 1).join('&&').trim(), ...parsed }];
  });
}

const unclear = { flags: [], paths: [], narrowed: [], unclear: true };

function parseCall(text) {
  if (/[$`|<>()&]/.test(text)) return unclear;
  const words = [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((m) => m[1] ?? m[2] ?? m[3]);
  const flags = [];
  const paths = [];
  const narrowed = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (!word.startsWith('-')) {
      paths.push(word.replace(/^\.\//, ''));
      continue;
    }
    const taken = [word];
    if (withValue.has(word) && i + 1 < words.length) taken.push(words[++i]);
    if (ours.test(word)) continue;
    if (narrowing.test(word)) narrowed.push(taken.join(' '));
    flags.push(...taken);
  }
  return { flags, paths, narrowed, unclear: false };
}

// findOtherRunner returns the name of another test runner that package.json uses, if any.
export function findOtherRunner(pkg) {
  const known = ['jest', 'vitest', 'mocha', 'ava', 'tap', 'jasmine', 'playwright', 'karma', 'borp'];
  const text = listScripts(pkg).map(([, script]) => script).join('\n');
  const packages = { ...pkg?.devDependencies, ...pkg?.dependencies };
  return known.find((name) => new RegExp(`(^|[\\s/])${name}(\\s|$)`, 'm').test(text) || name in packages);
}
