// The commands of a rerun: the fewest that run exactly the targets.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findNode, newCommand, nodeMajor, testCmd, timeoutFlags } from './commands.mjs';
import { selectablePath, splitName } from './names.mjs';
import { findNodeTest, readPackage } from './project.mjs';

// Since this version node also matches a pattern against the names of the enclosing suites
// and the test, joined by spaces; before, only against the test's own name.
const fullNamesSince = 22;

// More patterns than this go into several commands.
const maxPatterns = 200;

export function rerunCmd(request) {
  const { workspace, targets, runnerArgs, deadlineMillis } = request;
  if (targets.some((id) => !id.suite)) {
    // A target without a suite is the run itself: everything, which includes the others.
    const { commands, warnings } = testCmd({ workspace, runnerArgs, deadlineMillis });
    return { commands: commands.map((each) => ({ ...each, targets })), warnings };
  }
  const node = findNode(workspace);
  const settings = findNodeTest(readPackage(workspace.root));
  const kept = withoutPatterns([...(settings?.flags ?? []), ...runnerArgs]);
  const flags = [...kept, ...timeoutFlags(deadlineMillis, kept)];
  const full = nodeMajor(workspace) >= fullNamesSince;
  const whole = [];
  const groups = new Map(); // patterns, joined -> { patterns, files, targets }
  const warnings = [];
  for (const [file, tests] of groupByFile(targets)) {
    if (!existsSync(join(workspace.root, file))) {
      // Node runs nothing at all if one of the files is missing.
      warnings.push(`${file} no longer exists: its tests cannot be rerun`);
      continue;
    }
    if (tests.some((id) => id.name === '')) {
      whole.push([file, tests]);
      continue;
    }
    const patterns = [...new Set(tests.map((id) => exactPattern(splitName(id.name), full)))].sort();
    for (let i = 0; i < patterns.length; i += maxPatterns) {
      const part = patterns.slice(i, i + maxPatterns);
      const held = tests.filter((id) => part.includes(exactPattern(splitName(id.name), full)));
      const key = part.join('\n');
      const group = groups.get(key) ?? { patterns: part, files: [], targets: [] };
      group.files.push(file);
      group.targets.push(...held);
      groups.set(key, group);
    }
  }
  const commands = [];
  if (whole.length > 0) {
    commands.push(newCommand(node, flags, whole.map(([file]) => file), whole.flatMap(([, tests]) => tests)));
  }
  for (const group of groups.values()) {
    const patterns = group.patterns.map((text) => `--test-name-pattern=${text}`);
    commands.push(newCommand(node, [...flags, ...patterns], group.files, group.targets));
  }
  return { commands, warnings };
}

// exactPattern returns the pattern that selects one test, or the one that encloses a
// subtest: so widen needs no other commands.
export function exactPattern(steps, full) {
  const path = selectablePath(steps);
  const last = path.at(-1);
  const names = full ? path.map((step) => step.name) : [last.name];
  return `^${names.map(quoteName).join(' ')}${last.cut ? '' : '$'}`;
}

function quoteName(name) {
  return name
    .replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

// withoutPatterns removes the flags that narrowed the first run: the targets are narrower.
function withoutPatterns(flags) {
  const out = [];
  for (let i = 0; i < flags.length; i++) {
    if (/^--test-(name-pattern|skip-pattern|shard)$/.test(flags[i])) i++;
    else if (!/^--test-(name-pattern|skip-pattern|shard)=/.test(flags[i])) out.push(flags[i]);
  }
  return out;
}

function groupByFile(targets) {
  const files = new Map();
  for (const id of targets) {
    files.set(id.suite, [...(files.get(id.suite) ?? []), id]);
  }
  return files;
}
