// Records what node --test prints for the project of a case:
//
//   npm run record -- NAME [ARGUMENTS OF NODE...]
//
// It runs node in testdata/cases/NAME/project and writes stdout.jsonl, stderr.txt,
// exit.json and run.json beside it, as "proctor plugin check" reads them, and
// meta.json. Paths become /project, so that a recording is the same on every machine. The
// expected report is in want.json, for proctor, and with every field in events.json:
// UPDATE=1 npm test writes the latter, for review.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [name, ...args] = process.argv.slice(2);
const here = new URL(`../testdata/cases/${name}/`, import.meta.url).pathname;
const project = join(here, 'project');
const scratch = mkdtempSync(join(tmpdir(), 'record-'));
const source = (file) => readFileSync(new URL(`../runner/${file}`, import.meta.url));
writeFileSync(join(scratch, 'reporter-0.mjs'), source('reporter.mjs'));
writeFileSync(join(scratch, 'preload.cjs'), source('preload.cjs'));
const { NODE_TEST_CONTEXT, ...env } = process.env;
const ran = spawnSync(
  process.execPath,
  ['--test', `--require=${scratch}/preload.cjs`, `--test-reporter=${scratch}/reporter-0.mjs`, '--test-reporter-destination=stdout', ...args],
  { cwd: project, env: { ...env, NO_COLOR: '1' }, maxBuffer: 64 * 1024 * 1024, timeout: 60_000 },
);
rmSync(scratch, { recursive: true });
const tidy = (bytes) => bytes.toString('utf8').replaceAll(project, '/project').replaceAll(scratch, '/scratch');
const write = (file, value) => writeFileSync(join(here, file), `${JSON.stringify(value, null, 2)}\n`);
writeFileSync(join(here, 'stdout.jsonl'), tidy(ran.stdout));
writeFileSync(join(here, 'stderr.txt'), tidy(ran.stderr));
write('exit.json', { code: ran.status });
write('run.json', { root: '/project', argv: ['node', '--test', '--test-reporter={scratch}/reporter-0.mjs', ...args] });
write('meta.json', { node: process.version, args });
