// The commands of a rerun: the fewest that run exactly what is asked for.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { command, limit, testCmd, tool } from './commands.mjs';
import { listed, split } from './names.mjs';
import { nodeTest, readPackage } from './project.mjs';

// Since this version node matches a pattern against the names of the suites
// around a test too, joined by spaces; before, against its own name alone.
const fullNamesSince = 22;

// A command line that is longer is cut into several commands.
const maxPatterns = 200;

export function rerunCmd(request) {
  const { workspace, targets, runnerArgs, deadlineMillis } = request;
  if (targets.some((id) => !id.suite)) {
    // A target without a suite is the run itself: everything, and all else is in it.
    const { commands, warnings } = testCmd({ workspace, runnerArgs, deadlineMillis });
    return { commands: commands.map((each) => ({ ...each, targets })), warnings };
  }
  const node = tool(workspace);
  const settings = nodeTest(readPackage(workspace.root));
  const kept = withoutPatterns([...(settings?.flags ?? []), ...runnerArgs]);
  const flags = [...kept, ...limit(deadlineMillis, kept)];
  const full = major(workspace) >= fullNamesSince;
  const whole = [];
  const groups = new Map(); // patterns, joined -> { patterns, files, targets }
  const warnings = [];
  for (const [file, tests] of byFile(targets)) {
    if (!existsSync(join(workspace.root, file))) {
      // Node runs nothing at all when one of the files is missing.
      warnings.push(`${file} does not exist any more`);
      continue;
    }
    if (tests.some((id) => id.name === '')) {
      whole.push([file, tests]);
      continue;
    }
    const patterns = [...new Set(tests.map((id) => exactly(split(id.name), full)))].sort();
    for (let i = 0; i < patterns.length; i += maxPatterns) {
      const part = patterns.slice(i, i + maxPatterns);
      const held = tests.filter((id) => part.includes(exactly(split(id.name), full)));
      const key = part.join('\n');
      const group = groups.get(key) ?? { patterns: part, files: [], targets: [] };
      group.files.push(file);
      group.targets.push(...held);
      groups.set(key, group);
    }
  }
  const commands = [];
  if (whole.length > 0) {
    commands.push(command(node, flags, whole.map(([file]) => file), whole.flatMap(([, tests]) => tests)));
  }
  for (const group of groups.values()) {
    const patterns = group.patterns.map((text) => `--test-name-pattern=${text}`);
    commands.push(command(node, [...flags, ...patterns], group.files, group.targets));
  }
  return { commands, warnings };
}

// exactly is the pattern that selects one test, or the one around a subtest: so
// there is nothing left for widen to do.
export function exactly(steps, full) {
  const path = listed(steps);
  const last = path.at(-1);
  const names = full ? path.map((step) => step.name) : [last.name];
  return `^${names.map(quote).join(' ')}${last.cut ? '' : '$'}`;
}

function quote(name) {
  return name
    .replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

// withoutPatterns takes away what narrowed the first run by name or part: the
// targets are narrower than that.
function withoutPatterns(flags) {
  const out = [];
  for (let i = 0; i < flags.length; i++) {
    if (/^--test-(name-pattern|skip-pattern|shard)$/.test(flags[i])) i++;
    else if (!/^--test-(name-pattern|skip-pattern|shard)=/.test(flags[i])) out.push(flags[i]);
  }
  return out;
}

function byFile(targets) {
  const files = new Map();
  for (const id of targets) {
    files.set(id.suite, [...(files.get(id.suite) ?? []), id]);
  }
  return files;
}

function major(workspace) {
  return Number(/^v(\d+)\./.exec(workspace.probes?.version?.stdout?.toString('utf8') ?? '')?.[1] ?? 0);
}
