import { describe, it, test } from 'node:test';
import assert from 'node:assert/strict';

test('passes', () => {});
test('compares objects', () => assert.deepEqual({ a: 1, b: [1, 2] }, { a: 1, b: [1, 3] }));
test('compares numbers', () => assert.equal(1, 2));
test('compares lines', () => assert.equal('a\nb\nc', 'a\nx\nc'));
test('own words', () => assert.ok(false, 'the reason'));
test('throws', () => {
  throw new TypeError('no such thing', { cause: new Error('the cause') });
});
test('throws text', () => {
  throw 'text';
});
test('skipped', { skip: 'why' }, () => {});
test('to do', { todo: 'later' }, () => {
  throw new Error('not done');
});
test('slow', { timeout: 20 }, () => new Promise((done) => setTimeout(done, 1000)));
describe('outer', () => {
  it('good', () => {});
  describe('inner', () => it('bad', () => assert.equal('x', 'y')));
});
