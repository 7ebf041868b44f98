// What package.json says about how to run the project's tests.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const maxPackage = 4 * 1024 * 1024; // a larger package.json is ignored

// Flags of node that take a value as a separate argument.
const withValue = new Set([
  '-r', '--require', '--import', '--loader', '--experimental-loader', '-C', '--conditions', '--env-file',
  '--test-concurrency', '--test-timeout', '--test-name-pattern', '--test-shard', '--test-reporter',
  '--test-reporter-destination', '--test-skip-pattern',
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
// { script, after, flags, paths, narrowed, unclear }, where after is what the script does
// next. It returns undefined if no script calls it.
export function findNodeTest(pkg) {
  for (const [script, text] of listScripts(pkg)) {
    const parts = text.split(/&&|\|\||;/);
    for (const [at, part] of parts.entries()) {
      const call = /(?:^|\s)node(?:\.exe)?\s(.*)$/s.exec(part);
      if (call && /(^|\s)--test(\s|$)/.test(call[1])) return { script, after: parts.slice(at + 1).join('&&').trim(), ...parseCall(call[1]) };
    }
  }
  return undefined;
}

function parseCall(text) {
  if (/[$`|<>()&]/.test(text)) return { flags: [], paths: [], narrowed: [], unclear: true };
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
