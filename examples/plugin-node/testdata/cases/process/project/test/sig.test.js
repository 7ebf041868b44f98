const test = require('node:test');
test('one', () => {});
test('kill', () => { process.kill(process.pid, 'SIGKILL') });
