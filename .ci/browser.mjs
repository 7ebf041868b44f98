// Drives Chromium for the tests of pages. Each line of standard input is an object
// {options, code}: code is the body of an async function of (page, axe), and the page is in a
// context with these options. Each line of standard output is {value} or {error}, with the requests,
// dialogs, console messages and errors of the page.
import {createRequire} from 'node:module';
import {createInterface} from 'node:readline';
import {readFileSync} from 'node:fs';

const [, , modules, executablePath, userDataDir] = process.argv;
const require = createRequire(modules + '/');
const {chromium} = require('playwright-core');
const rules = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const browser = await chromium.launch({executablePath, args, env: {...process.env, HOME: userDataDir}});
const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
for await (const line of createInterface({input: process.stdin})) {
  const {options, code} = JSON.parse(line);
  const seen = {requests: [], dialogs: [], messages: []};
  const context = await browser.newContext({viewport: {width: 1280, height: 860}, ...options});
  try {
    const page = await context.newPage();
    page.on('request', r => seen.requests.push(r.url().slice(0, 200)));
    page.on('dialog', d => { seen.dialogs.push(d.message()); d.dismiss(); });
    page.on('console', m => seen.messages.push(m.text()));
    page.on('pageerror', e => seen.messages.push(String(e)));
    // Through the protocol: a page's content security policy would block the rules.
    const axe = async () => {
      const client = await context.newCDPSession(page);
      await client.send('Runtime.evaluate', {expression: rules});
      const answer = await client.send('Runtime.evaluate', {expression: 'axe.run().then(r => JSON.stringify(r.violations.map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 150)).join(" | "))))', awaitPromise: true, returnByValue: true});
      return JSON.parse(answer.result.value);
    };
    const value = await new AsyncFunction('page', 'axe', code)(page, axe);
    process.stdout.write(JSON.stringify({value: value ?? null, ...seen}) + '\n');
  } catch (e) {
    process.stdout.write(JSON.stringify({error: String(e && e.stack), ...seen}) + '\n');
  }
  await context.close();
}
await browser.close();
