// The program as a host sees it: a process, a handshake, a connection.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import grpc from '@grpc/grpc-js';
import { selfSigned } from '../src/certificate.mjs';
import { defineMethod, detectorMethods, makeCodec } from '../src/wire.mjs';
import { cases } from './support/replay.mjs';

const main = new URL('../src/main.mjs', import.meta.url).pathname;
const unix = process.platform !== 'win32';
const nothing = makeCodec('grpc.health.v1.Nothing');
const health = defineMethod('/grpc.health.v1.Health/Check', makeCodec('grpc.health.v1.HealthCheckRequest'), makeCodec('grpc.health.v1.HealthCheckResponse'));
const shutdown = defineMethod('/plugin.GRPCController/Shutdown', nothing, nothing);
const dir = mkdtempSync(join(tmpdir(), 'pn-'));
after(() => rmSync(dir, { recursive: true }));

async function start(more = {}) {
  const env = { PATH: process.env.PATH, PROCTOR_PLUGIN: 'proctor-detector', PLUGIN_PROTOCOL_VERSIONS: '1', PLUGIN_UNIX_SOCKET_DIR: dir, ...more };
  const child = spawn(process.execPath, [main], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stderr.resume();
  const [line] = await once(child.stdout, 'data');
  const [core, protocol, network, address, kind, certificate] = line.toString('utf8').trimEnd().split('|');
  assert.deepEqual([core, protocol, kind], ['1', '1', 'grpc']);
  return { child, network, address, certificate };
}

function connect({ network, address }, credentials = grpc.credentials.createInsecure()) {
  const target = network === 'unix' ? `unix:${address}` : address;
  const Client = grpc.makeGenericClientConstructor({ ...detectorMethods(), Health: health, Shutdown: shutdown }, 'plugin');
  const options = { 'grpc.ssl_target_name_override': 'localhost', 'grpc.default_authority': 'localhost' };
  return new Client(target, credentials, options);
}

function call(client, method, request = {}) {
  return new Promise((done, failed) => client[method](request, (error, answer) => (error ? failed(error) : done(answer))));
}

describe('the plugin', () => {
  let plugin;
  let client;
  before(async () => {
    plugin = await start();
    client = connect(plugin);
  });
  after(() => {
    client.close();
    plugin.child.kill();
  });

  test('is healthy and says who it is', async () => {
    assert.equal((await call(client, 'Health', { service: 'plugin' })).status, 'SERVING');
    assert.equal((await call(client, 'Describe')).name, 'node');
  });
  test('answers with a reason if it cannot do its work', async () => {
    await assert.rejects(call(client, 'TestCmd', { workspace: { root: dir } }), (error) => {
      assert.equal(error.code, grpc.status.FAILED_PRECONDITION);
      const status = makeCodec('grpc.health.v1.Status').decode(error.metadata.get('grpc-status-details-bin')[0]);
      assert.equal(makeCodec('grpc.health.v1.ErrorInfo').decode(status.details[0].value).reason, 'TOOL_NOT_FOUND');
      return true;
    });
    await assert.rejects(call(client, 'ListCmd'), { code: grpc.status.UNIMPLEMENTED });
  });
  test('reads a recorded output', async () => {
    const stream = client.ParseTestFailures();
    const failures = [];
    stream.on('data', (batch) => failures.push(...batch.failures));
    const ended = once(stream, 'status');
    stream.write({ start: { workspace: { root: '/project' } } });
    stream.write({ chunk: { stream: 'STREAM_STDOUT', data: readFileSync(new URL('subtests/stdout.jsonl', cases)) } });
    stream.write({ exit: { code: 1 } });
    stream.end();
    assert.equal((await ended)[0].code, grpc.status.OK);
    assert.equal(failures.length, 2);
  });
  for (const [what, messages] of [
    ['without exit', [{ start: {} }]],
    ['without start', [{ exit: {} }]],
  ]) {
    test(`rejects a stream ${what}`, async () => {
      const stream = client.ParseTestFailures();
      stream.on('data', () => {});
      const ended = new Promise((done) => stream.on('error', done));
      messages.forEach((message) => stream.write(message));
      stream.end();
      assert.equal((await ended).code, grpc.status.INVALID_ARGUMENT);
    });
  }
});

describe('the end of the plugin', () => {
  test('follows Shutdown, and the socket is removed', async () => {
    const plugin = await start();
    const client = connect(plugin);
    const exited = once(plugin.child, 'exit');
    await call(client, 'Shutdown');
    client.close();
    assert.equal((await exited)[0], 0);
    if (unix) assert.equal(existsSync(plugin.address), false);
  });
  test('follows the end of standard input, if that is the lifeline', async () => {
    const plugin = await start({ PROCTOR_LIFELINE: 'stdin' });
    const exited = once(plugin.child, 'exit');
    plugin.child.stdin.end();
    assert.equal((await exited)[0], 0);
  });
  test('does not follow the end of standard input otherwise', async () => {
    const plugin = await start();
    plugin.child.stdin.end();
    const client = connect(plugin);
    await call(client, 'Describe');
    client.close();
    plugin.child.kill();
  });
});

describe('TLS', () => {
  test('accepts only the host', async (t) => {
    const host = selfSigned('localhost');
    const plugin = await start({ PLUGIN_CLIENT_CERT: host.certificate });
    t.after(() => plugin.child.kill());
    const own = Buffer.from(new X509Certificate(Buffer.from(plugin.certificate, 'base64')).toString());
    const as = (who) => connect(plugin, grpc.credentials.createSsl(own, Buffer.from(who.key), Buffer.from(who.certificate)));
    const good = as(host);
    assert.equal((await call(good, 'Describe')).name, 'node');
    good.close();
    const bad = as(selfSigned('localhost'));
    await assert.rejects(call(bad, 'Describe'), { code: grpc.status.UNAVAILABLE });
    bad.close();
  });
});

test('started by hand, it says what it is', async () => {
  const child = spawn(process.execPath, [main], { env: { PATH: process.env.PATH } });
  let said = '';
  child.stderr.on('data', (chunk) => (said += chunk));
  const [code] = await once(child, 'close');
  assert.equal(code, 1);
  assert.match(said, /plugin of proctor/);
});
