const test = require('node:test');
test('before exit', () => {});
test('exits', () => { process.exit(0) });
test('never', () => {});
