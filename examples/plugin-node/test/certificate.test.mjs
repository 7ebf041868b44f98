import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { selfSigned } from '../src/certificate.mjs';

test('a certificate is valid X.509, for localhost and signed by its own key', () => {
  for (let i = 0; i < 20; i++) {
    const { der, key, certificate } = selfSigned('localhost');
    const read = new X509Certificate(der);
    assert.equal(read.subjectAltName, 'DNS:localhost');
    assert.equal(read.checkHost('localhost'), 'localhost');
    assert.ok(read.ca && read.verify(read.publicKey) && read.checkPrivateKey(createPrivateKey(key)));
    assert.ok(Date.parse(read.validFrom) < Date.now() && Date.parse(read.validTo) > Date.now());
    assert.deepEqual(new X509Certificate(certificate).raw, der);
  }
});
