import { describe, it, test } from 'node:test';

test('passes', () => {});
describe('a suite', () => {
  it('passes too', () => {});
  it('is skipped', { skip: true }, () => {});
});
