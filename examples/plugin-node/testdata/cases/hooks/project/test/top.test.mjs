import {test,before} from 'node:test';
before(() => { throw new Error('top before') });
test('ok', () => {});
