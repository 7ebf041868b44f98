const test = require('node:test');
test('good', () => {});
setTimeout(() => { throw new Error('after everything') }, 100);
