import { after, before, beforeEach, describe, it } from 'node:test';

const boom = (what) => () => {
  throw new Error(what);
};
describe('before', () => {
  before(boom('before boom'));
  it('one', () => {});
  it('two', () => {});
});
describe('after', () => {
  after(boom('after boom'));
  it('one', () => {});
});
describe('each', () => {
  beforeEach(boom('each boom'));
  it('one', () => {});
});
