import { it } from 'node:test';
it.todo('without a body');
it.todo('that would pass', () => {});
