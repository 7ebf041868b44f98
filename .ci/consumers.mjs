// Reads reports with the programs that read them in CI, for the tests of host/report. Each
// line of standard input is an object {reader, file}. Each line of standard output is an
// object {value} or {error}: value has the counts that the reader gives, and cases with
// suite, name and status in the reader's words.
import {createRequire} from 'node:module';
import {createInterface} from 'node:readline';
import {readFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';
import {join} from 'node:path';

const [, , modules] = process.argv;
const require = createRequire(join(modules, 'x.js'));
const load = path => import(pathToFileURL(join(modules, path)));
// Standard output is for answers: what readers print goes to standard error.
const answer = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

const list = x => x === undefined || x === null ? [] : Array.isArray(x) ? x : [x];

const readers = {
  async junit2json(file) {
    const {parse} = await load('junit2json/dist/esm/index.js');
    const all = await parse(readFileSync(file, 'utf8'));
    const cases = list(all.testsuite).flatMap(s => list(s.testcase).map(c => ({
      suite: s.name, name: c.name, status: c.error ? 'error' : c.failure ? 'failed' : c.skipped ? 'skipped' : 'passed',
      text: list(c.failure ?? c.error).map(f => f.inner ?? '').join('\n'),
    })));
    return {counts: {tests: all.tests, failures: all.failures, errors: all.errors}, cases};
  },
  async 'test-results-parser'(file) {
    const all = require('test-results-parser').parse({type: 'junit', files: [file]});
    const cases = all.suites.flatMap(s => s.cases.map(c => ({suite: s.name, name: c.name, status: c.status})));
    // Its totals come from an attribute that Jenkins's schema does not have.
    const sum = what => all.suites.reduce((n, s) => n + s[what], 0);
    return {counts: {passed: sum('passed'), failures: sum('failed'), errors: sum('errors'), skipped: sum('skipped')}, cases};
  },
  async 'junit-to-ctrf'(file) {
    const {convertJUnitToCTRFReport} = await load('junit-to-ctrf/dist/index.js');
    const {summary, tests} = (await convertJUnitToCTRFReport(file)).results;
    const cases = tests.map(t => ({suite: list(t.suite).join(' '), name: t.name, status: t.status, flaky: !!t.flaky, retries: t.retries ?? 0}));
    return {counts: {tests: summary.tests, passed: summary.passed, failures: summary.failed, skipped: summary.skipped}, cases};
  },
  async 'xunit-viewer'(file) {
    const {default: getSuites} = await load('xunit-viewer/src/cli/get-suites.js');
    let failed;
    const logger = {file: String, error: text => { failed = text; return text; }};
    const all = await getSuites(logger, [{file, contents: readFileSync(file, 'utf8')}]);
    if (failed) throw new Error(failed);
    const cases = Object.values(all.suites).flatMap(s => Object.values(s.tests ?? {}).map(c => ({suite: c.classname, name: c.name, status: c.status})));
    return {counts: {}, cases};
  },
  async ctrf(file) {
    const ctrf = await load('ctrf/dist/index.js');
    const report = JSON.parse(readFileSync(file, 'utf8'));
    const Ajv = require('ajv'), formats = require('ajv-formats');
    const ajv = new Ajv({allErrors: true, strict: false});
    formats(ajv);
    const schema = JSON.parse(readFileSync(join(modules, 'ctrf/dist/ctrf-schema-0.0.json'), 'utf8'));
    if (!ajv.validate(schema, report)) throw new Error('ajv: ' + ajv.errorsText());
    const checked = ctrf.validate(report);
    if (checked && checked.valid === false) throw new Error('ctrf: ' + JSON.stringify(checked.errors));
    const {summary, tests} = report.results;
    return {counts: summary, cases: tests.map(t => ({suite: list(t.suite).join(' '), name: t.name, status: t.status, flaky: !!t.flaky, retries: t.retries ?? 0}))};
  },
};

for await (const line of createInterface({input: process.stdin})) {
  const {reader, file} = JSON.parse(line);
  try {
    answer(JSON.stringify({value: await readers[reader](file)}) + '\n');
  } catch (e) {
    answer(JSON.stringify({error: String(e && e.stack)}) + '\n');
  }
}
