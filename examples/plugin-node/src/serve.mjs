// The life of the process: listen, shake hands, end with the host.
import { randomBytes, X509Certificate } from 'node:crypto';
import { rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import grpc from '@grpc/grpc-js';
import { selfSigned } from './certificate.mjs';
import { detector } from './detector.mjs';
import { guardStdout, log } from './log.mjs';
import { pluginServices } from './services.mjs';

const coreProtocol = 1; // of go-plugin itself
const protocol = 1; // of the detector
const maxMessage = 4 * 1024 * 1024; // the protocol's limit, both ways
const drainMillis = 2000; // for pending answers when the host requests the end

export async function serve(env) {
  guardStdout();
  const offered = (env.PLUGIN_PROTOCOL_VERSIONS ?? '1').split(',').map(Number);
  if (!offered.includes(protocol)) {
    throw new Error(`the host speaks protocol ${offered.join(', ')}, this plugin speaks ${protocol}`);
  }
  const server = new grpc.Server({
    'grpc.max_receive_message_length': maxMessage,
    'grpc.max_send_message_length': maxMessage,
  });
  let ending = false;
  const end = (why) => {
    if (ending) return;
    ending = true;
    log.debug('ending', { why });
    const leave = () => {
      if (socket) rmSync(socket, { force: true });
      process.exit(0);
    };
    closeIdle();
    server.tryShutdown(leave);
    setTimeout(leave, drainMillis);
  };
  const closeIdle = pluginServices(server, detector, end);
  const { credentials, certificate } = makeCredentials(env.PLUGIN_CLIENT_CERT);
  const { network, address, socket } = await listen(server, credentials, env);
  process.on('SIGTERM', () => end('SIGTERM'));
  process.on('SIGINT', () => {}); // sent by the terminal: the host decides what it means
  writeSync(1, `${[coreProtocol, protocol, network, address, 'grpc', certificate].join('|')}\n`);
  if (env.PROCTOR_LIFELINE === 'stdin') {
    process.stdin.on('end', () => process.exit(0));
    process.stdin.on('error', () => process.exit(0));
    process.stdin.resume();
  }
}

// makeCredentials returns TLS credentials that accept only the host's certificate, if the
// host gave one.
function makeCredentials(clientCertificate) {
  if (!clientCertificate) return { credentials: grpc.ServerCredentials.createInsecure(), certificate: '' };
  new X509Certificate(clientCertificate); // throws, with a message, if it is damaged
  const own = selfSigned('localhost');
  const credentials = grpc.ServerCredentials.createSsl(
    Buffer.from(clientCertificate),
    [{ private_key: Buffer.from(own.key), cert_chain: Buffer.from(own.certificate) }],
    true,
  );
  return { credentials, certificate: own.der.toString('base64').replace(/=+$/, '') };
}

async function listen(server, credentials, env) {
  const bind = (address) =>
    new Promise((done, failed) =>
      server.bindAsync(address, credentials, (error, port) => (error ? failed(error) : done(port))),
    );
  if (process.platform !== 'win32') {
    // Short, because the path of a socket is limited to about 100 bytes.
    const socket = join(env.PLUGIN_UNIX_SOCKET_DIR || tmpdir(), `pn${randomBytes(6).toString('hex')}`);
    await bind(`unix:${socket}`);
    return { network: 'unix', address: socket, socket };
  }
  const first = Number(env.PLUGIN_MIN_PORT || 0);
  const last = Number(env.PLUGIN_MAX_PORT || first);
  for (let port = first; port <= last; port++) {
    try {
      const bound = await bind(`127.0.0.1:${port}`);
      return { network: 'tcp', address: `127.0.0.1:${bound}` };
    } catch (error) {
      if (port === last) throw error;
    }
  }
  throw new Error(`no free port from ${first} to ${last}`);
}
