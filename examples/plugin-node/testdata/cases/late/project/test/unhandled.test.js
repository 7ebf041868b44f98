const test = require('node:test');
test('leaks', () => { setTimeout(() => { throw new Error('late throw') }, 50) });
test('rej', () => { Promise.reject(new Error('late rej')) });
test('slow', async () => { await new Promise(r => setTimeout(r, 200)) });
