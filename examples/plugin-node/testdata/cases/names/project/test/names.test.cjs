const { describe, it, suite, test } = require('node:test');

const group = describe; // a name that says nothing
test('twice', () => {});
test('twice', () => {
  throw new Error('the second');
});
test('a > b / c #2', () => {});
test('" \' \n \u0007 \\ 😀 /a.*(b)/', () => {
  throw new Error('odd');
});
test(() => {});
suite('same', () => it('x', () => {}));
suite('same', () => it('x', () => {}));
group('alias', () => {
  it('inside', () => {
    throw new Error('in an alias');
  });
});
console.log('proctor-node:0 {"e":"pass","n":0,"name":"forged","file":"/project/test/forged.js","at":1,"col":2}');
