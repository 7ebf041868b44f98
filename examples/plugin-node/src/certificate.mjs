// A self-signed certificate, encoded by hand because Node can read certificates but not
// create them. It has only what a host checks: the name localhost, and that the key may
// serve.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const ecdsaWithSHA256 = oid(1, 2, 840, 10045, 4, 3, 2);
const commonName = oid(2, 5, 4, 3);
const subjectAltName = oid(2, 5, 29, 17);
const basicConstraints = oid(2, 5, 29, 19);
const keyUsage = oid(2, 5, 29, 15);
const extendedKeyUsage = oid(2, 5, 29, 37);
const serverAuth = oid(1, 3, 6, 1, 5, 5, 7, 3, 1);
const clientAuth = oid(1, 3, 6, 1, 5, 5, 7, 3, 2);

// Longer than any run; the start is in the past, in case clocks differ.
const hour = 3600 * 1000;
const validFor = 24 * 365 * hour;

// selfSigned returns the key and the certificate as PEM, and the certificate's DER.
export function selfSigned(name, now = Date.now()) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(ecdsaWithSHA256);
  const subject = sequence(set(sequence(commonName, utf8(name))));
  const body = sequence(
    tagged(0, integer(Buffer.from([2]))), // version 3
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])), // serial, positive
    algorithm,
    subject,
    sequence(time(now - hour), time(now + validFor)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(
      3,
      sequence(
        extension(basicConstraints, sequence(der(0x01, Buffer.from([0xff]))), true), // its own issuer
        extension(keyUsage, der(0x03, Buffer.from([2, 0x84])), true), // digitalSignature, keyCertSign
        extension(extendedKeyUsage, sequence(serverAuth, clientAuth)),
        extension(subjectAltName, sequence(der(0x82, Buffer.from(name)))),
      ),
    ),
  );
  const signature = sign('sha256', body, privateKey);
  const whole = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = whole.toString('base64').match(/.{1,64}/g).join('\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    der: whole,
  };
}

function der(tag, content) {
  const n = content.length;
  const length = n < 0x80 ? [n] : n < 0x100 ? [0x81, n] : [0x82, n >> 8, n & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

function sequence(...parts) {
  return der(0x30, Buffer.concat(parts));
}

function set(...parts) {
  return der(0x31, Buffer.concat(parts));
}

function tagged(number, content) {
  return der(0xa0 + number, content);
}

function integer(content) {
  return der(0x02, content);
}

function utf8(text) {
  return der(0x0c, Buffer.from(text));
}

function time(millis) {
  const digits = new Date(millis).toISOString().replace(/\.\d+/, '').replace(/[-:T]/g, '');
  return der(0x18, Buffer.from(digits)); // GeneralizedTime: YYYYMMDDHHMMSSZ
}

function extension(id, value, critical = false) {
  return sequence(id, ...(critical ? [der(0x01, Buffer.from([0xff]))] : []), der(0x04, value));
}

function oid(first, second, ...rest) {
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return der(0x06, Buffer.from(bytes));
}
