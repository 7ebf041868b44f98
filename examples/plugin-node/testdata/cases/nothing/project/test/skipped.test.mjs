import { before, describe, it } from 'node:test';
describe('all skipped', () => {
  it.skip('a', () => {});
  it.skip('b', () => {});
});
describe('nothing inside', () => {});
describe('no set-up', () => {
  before(() => {
    throw new Error('no database');
  });
  it('runs', () => {});
  it.skip('left out', () => {});
});
