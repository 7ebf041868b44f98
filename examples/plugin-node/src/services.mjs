// The services of a plugin: go-plugin's own, health, and the detector's.
import grpc from '@grpc/grpc-js';
import { statusOf } from './errors.mjs';
import { defineMethod, detectorMethods, makeCodec } from './wire.mjs';

const nothing = makeCodec('grpc.health.v1.Nothing');
const healthRequest = makeCodec('grpc.health.v1.HealthCheckRequest');
const healthResponse = makeCodec('grpc.health.v1.HealthCheckResponse');

// pluginServices adds all services to the server. It calls end when the host requests the
// plugin's end, and returns a function that closes the streams that nobody else ends.
export function pluginServices(server, detector, end) {
  const idle = new Set();
  const keepOpen = (call) => {
    idle.add(call);
    call.on('cancelled', () => {
      idle.delete(call);
      call.end();
    });
  };
  server.addService(
    {
      Check: defineMethod('/grpc.health.v1.Health/Check', healthRequest, healthResponse),
      Watch: defineMethod('/grpc.health.v1.Health/Watch', healthRequest, healthResponse, false, true),
    },
    {
      Check: (call, done) =>
        isServed(call.request.service)
          ? done(null, { status: 'SERVING' })
          : done({ code: grpc.status.NOT_FOUND, details: `unknown service ${call.request.service}` }),
      Watch: (call) => {
        call.write({ status: isServed(call.request.service) ? 'SERVING' : 'SERVICE_UNKNOWN' });
        keepOpen(call);
      },
    },
  );
  server.addService(
    { Shutdown: defineMethod('/plugin.GRPCController/Shutdown', nothing, nothing) },
    {
      Shutdown: (call, done) => {
        done(null, {});
        end('Shutdown');
      },
    },
  );
  server.addService(
    { StreamStdio: defineMethod('/plugin.GRPCStdio/StreamStdio', nothing, nothing, false, true) },
    // Open until the host ends: there is no output except the logs.
    { StreamStdio: keepOpen },
  );
  const methods = detectorMethods();
  server.addService(methods, makeHandlers(methods, detector));
  return () => idle.forEach((call) => call.end());
}

function isServed(service) {
  return service === 'plugin' || service === '';
}

function makeHandlers(methods, detector) {
  const out = {};
  for (const [name, method] of Object.entries(methods)) {
    const work = detector[name];
    if (!work) continue; // grpc-js answers UNIMPLEMENTED
    out[name] = method.requestStream
      ? (call) => work(call)
      : (call, done) => {
          try {
            done(null, work(call.request));
          } catch (error) {
            done(statusOf(error));
          }
        };
  }
  return out;
}
