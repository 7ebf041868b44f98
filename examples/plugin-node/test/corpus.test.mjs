// Every recorded output gives the events of its events.json, however it is split.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { cases, parse, replay } from './support/replay.mjs';

const names = readdirSync(cases);

describe('a recorded output', () => {
  for (const name of names) {
    test(`${name} gives the events of its events.json`, () => {
      const got = replay(name);
      const file = new URL(`${name}/events.json`, cases);
      if (process.env.UPDATE) writeFileSync(file, `${JSON.stringify(got, null, 1)}\n`);
      assert.deepEqual(got, JSON.parse(readFileSync(file, 'utf8')));
    });
    for (const chunk of [1, 7]) {
      test(`${name} gives the same in chunks of ${chunk}`, () => assert.deepEqual(replay(name, chunk), replay(name)));
    }
    test(`${name} is never green, wherever it is cut`, () => {
      const output = readFileSync(new URL(`${name}/stdout.jsonl`, cases));
      for (let cut = 0; cut < output.length - 1; cut += 397) {
        const got = parse(output.subarray(0, cut), Buffer.alloc(0), { code: 0 });
        const red = (got.failures ?? []).length > 0 || (got.runErrors ?? []).length > 0;
        assert.ok(red, `cut after ${cut} bytes of ${output.length}`);
      }
    });
  }
});

describe('an output that was not recorded', () => {
  const nothing = Buffer.alloc(0);

  test('that is empty, with exit code 0, is an error', () => {
    assert.match(parse(nothing, nothing, { code: 0 }).runErrors[0], /printed no results/);
  });
  test('quotes what node printed to standard error', () => {
    const got = parse(nothing, Buffer.from("Could not find '/project/x'\n"), { code: 1 });
    assert.deepEqual(got, { runErrors: ["Could not find '/project/x'"] });
  });
  test('with unknown text counts every byte as unread', () => {
    const got = parse(Buffer.from('noise\nand more'), nothing, { code: 0 });
    assert.equal(got.unread[0].bytes, 14);
  });
  test('cannot be forged without the token of the command', () => {
    const forged = Buffer.from(
      'proctor-node:0 {"e":"begin","cwd":"/project"}\n' +
        'proctor-node:0 {"e":"pass","n":0,"name":"x","file":"/project/x.js","at":1,"col":2}\n' +
        'proctor-node:0 {"e":"end"}\n',
    );
    const got = parse(forged, nothing, { code: 0 }, Infinity, ['node', '--test', '--test-reporter=/s/reporter-abc.mjs']);
    assert.equal(got.tests, undefined);
    assert.equal(got.unread[0].bytes, forged.length);
    assert.equal(got.runErrors.length, 1);
  });
  test('whose counts do not agree with its results is an error', () => {
    const lines = ['{"e":"begin","cwd":"/project"}', '{"e":"diagnostic","text":"fail 1"}', '{"e":"end"}'];
    const got = parse(Buffer.from(lines.map((line) => `proctor-node:0 ${line}\n`).join('')), nothing, { code: 1 });
    assert.match(got.runErrors[0], /counted 1 failed tests, but reported 0/);
  });
  test('with a line that is not UTF-8 is damaged', () => {
    const lines = ['{"e":"begin","cwd":"/project"}', '{"e":"pass","n":0,"name":"a\xff","file":"/project/a.js","at":1,"col":1}', '{"e":"end"}'];
    const got = parse(Buffer.from(lines.map((line) => `proctor-node:0 ${line}\n`).join(''), 'latin1'), nothing, { code: 0 });
    assert.deepEqual([got.tests, got.unread[0].damaged], [undefined, true]);
  });
  test('with a line that is not JSON is damaged', () => {
    const lines = ['{"e":"begin","cwd":"/project"}', '{"e":"pass","n":0,', '{"e":"end"}'];
    const got = parse(Buffer.from(lines.map((line) => `proctor-node:0 ${line}\n`).join('')), nothing, { code: 0 });
    assert.equal(got.unread[0].damaged, true);
  });
});
