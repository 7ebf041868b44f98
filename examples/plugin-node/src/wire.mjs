// Encoders and decoders of the messages in the two .proto files.
import protobuf from 'protobufjs';
import { detectorProto, pluginProto } from './assets.mjs';

const root = new protobuf.Root();
protobuf.parse(detectorProto, root, { keepCase: false });
protobuf.parse(pluginProto, root, { keepCase: false });
root.resolveAll();

// Every number of the protocol fits into a double; bytes are Buffers.
const readable = { longs: Number, enums: String, bytes: Buffer, defaults: true, arrays: true, objects: true, oneofs: true };

export const detectorPackage = 'proctor.detector.v1';

// makeCodec returns the encoder and decoder of a message. Values are plain objects, with
// enum values by name.
export function makeCodec(name) {
  const type = root.lookupType(name);
  return {
    encode: (value) => Buffer.from(type.encode(type.fromObject(value)).finish()),
    decode: (bytes) => type.toObject(type.decode(bytes), readable),
  };
}

// detectorMethods lists the methods of the service with their codecs, in the
// form that grpc-js wants.
export function detectorMethods() {
  const service = root.lookupService(`${detectorPackage}.DetectorService`);
  return Object.fromEntries(
    service.methodsArray.map((method) => [
      method.name,
      defineMethod(
        `/${detectorPackage}.DetectorService/${method.name}`,
        makeCodec(`${detectorPackage}.${method.requestType}`),
        makeCodec(`${detectorPackage}.${method.responseType}`),
        method.requestStream === true,
        method.responseStream === true,
      ),
    ]),
  );
}

export function defineMethod(path, request, response, requestStream = false, responseStream = false) {
  return {
    path,
    requestStream,
    responseStream,
    requestSerialize: request.encode,
    requestDeserialize: request.decode,
    responseSerialize: response.encode,
    responseDeserialize: response.decode,
  };
}
