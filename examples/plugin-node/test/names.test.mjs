import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { joinName, selectablePath, splitName } from '../src/names.mjs';
import { exactPattern } from '../src/rerun.mjs';

const path = (...names) => names.map((name, i) => ({ name, in: i === 0 ? '' : 'suite', ordinal: 1 }));

describe('the name of a test', () => {
  const hard = ['', 'a', ' ', '>', '/', 'a > b', 'a / b', ' > ', '> ', ' >', 'a >', '/ b', '#2', 'x #2', '\\', '\\n', '\n', '\u0000\u001b', '😀', 'a > > b', 'a #2 > b #3', '\\~0123456789abcdef'];
  for (const first of hard) {
    test(`with ${JSON.stringify(first)} can be split again`, () => {
      for (const second of hard) {
        for (const kind of ['suite', 'test']) {
          const steps = [
            { name: first, in: '', ordinal: 1 },
            { name: second, in: kind, ordinal: 3 },
            { name: first, in: 'test', ordinal: 1 },
          ];
          assert.deepEqual(splitName(joinName(steps)), steps, joinName(steps));
        }
      }
    });
  }
  test('that is long is truncated, and stays unique', () => {
    const [a, b] = ['a', 'b'].map((end) => joinName(path(`${'x'.repeat(20_000)}${end}`)));
    assert.ok(Buffer.byteLength(a) <= 8192);
    assert.notEqual(a, b);
    assert.equal(splitName(a)[0].cut, true);
  });
});

describe('the pattern of a rerun', () => {
  test('selects a test in suites by its own name before Node 22', () => {
    assert.equal(exactPattern(splitName('outer > in(n)er'), false), '^in\\(n\\)er$');
  });
  test('selects it by the whole path since Node 22', () => {
    assert.equal(exactPattern(splitName('outer > inner'), true), '^outer inner$');
  });
  test('selects the test that encloses a subtest', () => {
    assert.equal(exactPattern(splitName('s > parent / step / deep'), false), '^parent$');
    assert.deepEqual(selectablePath(splitName('s > parent / step')).map((step) => step.name), ['s', 'parent']);
  });
  test('matches the name itself, whatever characters it has', () => {
    for (const name of ['/a.*/i', 'x\ny', '$^', '[a-', '\u0000', 'a|b']) {
      assert.match(name, new RegExp(exactPattern(splitName(joinName(path(name))), false)));
    }
  });
});
