import { describe, it, test } from 'node:test';

test('parent', async (t) => {
  await t.test('good', () => {});
  await t.test('bad', async (t) => {
    await t.test('deep', () => {
      throw new Error('deep down');
    });
  });
});
test('leaves early', (t) => {
  t.test('kid', () => new Promise((done) => setTimeout(done, 100)));
});
test('another', () => new Promise((done) => setTimeout(done, 200)));
describe('both', { concurrency: true }, () => {
  it('left', async (t) => t.test('step', () => {}));
  it('right', async (t) => t.test('step', () => {}));
});
