const test = require('node:test');
test.only('only one', () => {});
test('other', () => { throw new Error('not run?') });
