// What a call ends with when the plugin could not do its work.
import grpc from '@grpc/grpc-js';
import { codec, detectorPackage } from './wire.mjs';

const errorInfo = codec('grpc.health.v1.ErrorInfo');
const debugInfo = codec('grpc.health.v1.DebugInfo');
const rpcStatus = codec('grpc.health.v1.Status');

// CannotError is a fault with a reason of the protocol, for the user to read.
export class CannotError extends Error {
  constructor(reason, message) {
    super(message);
    this.reason = reason;
  }
}

// ProtocolError is a host that broke the rules of a stream.
export class ProtocolError extends Error {}

// statusOf turns whatever was thrown into a status of gRPC. What is none of the
// classes above is a crash that was caught.
export function statusOf(error) {
  if (error instanceof ProtocolError) return { code: grpc.status.INVALID_ARGUMENT, details: error.message };
  if (error instanceof CannotError) {
    return status(grpc.status.FAILED_PRECONDITION, error.message, [info(error.reason)]);
  }
  const stack = String(error?.stack ?? error).slice(0, 8192); // trailers have a limit of their own
  return status(grpc.status.INTERNAL, `crashed: ${error?.message ?? error}`.slice(0, 1024), [
    info('PANIC'),
    { typeUrl: 'type.googleapis.com/google.rpc.DebugInfo', value: debugInfo.encode({ stackEntries: stack.split('\n') }) },
  ]);
}

function info(reason) {
  return {
    typeUrl: 'type.googleapis.com/google.rpc.ErrorInfo',
    value: errorInfo.encode({ reason, domain: detectorPackage }),
  };
}

function status(code, details, parts) {
  const metadata = new grpc.Metadata();
  metadata.set('grpc-status-details-bin', rpcStatus.encode({ code, message: details, details: parts }));
  return { code, details, metadata };
}
