import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { owner, total } from '../ledger.mjs';

describe('total', () => {
  it('of nothing is nothing', () => assert.equal(total([]), 0));
  it('is a number', () => assert.equal(typeof total([{ amount: 1 }]), 'number'));
});

test('an entry', async (t) => {
  await t.test('has an owner', () => assert.equal(owner({ account: { owner: 'ann' } }), 'ann'));
  await t.test('without account has none', () => assert.equal(owner({}), undefined));
});
