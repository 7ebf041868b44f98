const test = require('node:test');
test('x', () => {}
