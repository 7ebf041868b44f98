const test = require('node:test');
test('before exit', () => {});
test('exits', () => { process.exit(3) });
test('never', () => {});
