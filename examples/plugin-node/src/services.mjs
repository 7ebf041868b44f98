// The services of a plugin: go-plugin's own, health, and the detector's calls.
import grpc from '@grpc/grpc-js';
import { statusOf } from './errors.mjs';
import { codec, definition, detectorMethods } from './wire.mjs';

const nothing = codec('grpc.health.v1.Nothing');
const healthRequest = codec('grpc.health.v1.HealthCheckRequest');
const healthResponse = codec('grpc.health.v1.HealthCheckResponse');

// pluginServices adds everything to the server. end is called when the host
// asked for the end. It returns what closes the streams that nobody else ends.
export function pluginServices(server, detector, end) {
  const idle = new Set();
  const stay = (call) => {
    idle.add(call);
    call.on('cancelled', () => {
      idle.delete(call);
      call.end();
    });
  };
  server.addService(
    {
      Check: definition('/grpc.health.v1.Health/Check', healthRequest, healthResponse),
      Watch: definition('/grpc.health.v1.Health/Watch', healthRequest, healthResponse, false, true),
    },
    {
      Check: (call, done) =>
        served(call.request.service)
          ? done(null, { status: 'SERVING' })
          : done({ code: grpc.status.NOT_FOUND, details: `unknown service ${call.request.service}` }),
      Watch: (call) => {
        call.write({ status: served(call.request.service) ? 'SERVING' : 'SERVICE_UNKNOWN' });
        stay(call);
      },
    },
  );
  server.addService(
    { Shutdown: definition('/plugin.GRPCController/Shutdown', nothing, nothing) },
    {
      Shutdown: (call, done) => {
        done(null, {});
        end('Shutdown');
      },
    },
  );
  server.addService(
    { StreamStdio: definition('/plugin.GRPCStdio/StreamStdio', nothing, nothing, false, true) },
    // Open until the host goes: there is no output but the logs.
    { StreamStdio: stay },
  );
  const methods = detectorMethods();
  server.addService(methods, handlers(methods, detector));
  return () => idle.forEach((call) => call.end());
}

function served(service) {
  return service === 'plugin' || service === '';
}

function handlers(methods, detector) {
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
