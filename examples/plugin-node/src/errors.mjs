// The statuses of calls in which the plugin could not do its work.
import grpc from '@grpc/grpc-js';
import { detectorPackage, makeCodec } from './wire.mjs';

const errorInfo = makeCodec('grpc.health.v1.ErrorInfo');
const debugInfo = makeCodec('grpc.health.v1.DebugInfo');
const rpcStatus = makeCodec('grpc.health.v1.Status');

// CannotError has a reason of the protocol, and a message for the user.
export class CannotError extends Error {
  constructor(reason, message) {
    super(message);
    this.reason = reason;
  }
}

// ProtocolError says how the host broke the rules of a stream.
export class ProtocolError extends Error {}

// statusOf converts whatever was thrown to a gRPC status. Anything but the classes above
// is a crash.
export function statusOf(error) {
  if (error instanceof ProtocolError) return { code: grpc.status.INVALID_ARGUMENT, details: error.message };
  if (error instanceof CannotError) {
    return makeStatus(grpc.status.FAILED_PRECONDITION, error.message, [encodeErrorInfo(error.reason)]);
  }
  const stack = String(error?.stack ?? error).slice(0, 8192); // trailers have a limit of their own
  return makeStatus(grpc.status.INTERNAL, `crashed: ${error?.message ?? error}`.slice(0, 1024), [
    encodeErrorInfo('PANIC'),
    { typeUrl: 'type.googleapis.com/google.rpc.DebugInfo', value: debugInfo.encode({ stackEntries: stack.split('\n') }) },
  ]);
}

function encodeErrorInfo(reason) {
  return {
    typeUrl: 'type.googleapis.com/google.rpc.ErrorInfo',
    value: errorInfo.encode({ reason, domain: detectorPackage }),
  };
}

function makeStatus(code, details, parts) {
  const metadata = new grpc.Metadata();
  metadata.set('grpc-status-details-bin', rpcStatus.encode({ code, message: details, details: parts }));
  return { code, details, metadata };
}
