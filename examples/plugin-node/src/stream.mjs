// ParseTestFailures: one stream of the protocol around one parser.
import { ProtocolError, statusOf } from './errors.mjs';
import { Parser } from './parser.mjs';
import { Sender } from './sender.mjs';

export function parseTestFailures(call) {
  const sender = new Sender((batch) => call.write(batch));
  let parser;
  let ended = false;
  let over = false;

  const guard = (work) => {
    if (over) return;
    try {
      work();
    } catch (error) {
      over = true;
      sender.stop();
      call.emit('error', statusOf(error));
    }
  };

  call.on('data', (request) =>
    guard(() => {
      if (request.start) {
        if (parser) throw new ProtocolError('a second start in a parse stream');
        parser = new Parser(request.start, sender);
      } else if (request.chunk || request.exit) {
        if (!parser) throw new ProtocolError('a parse stream must begin with start');
        if (ended) throw new ProtocolError('a message after exit in a parse stream');
        if (request.chunk) parser.write(request.chunk.stream, request.chunk.data);
        else {
          ended = true;
          parser.end(request.exit);
          sender.flush();
        }
      } // anything else belongs to a later protocol
    }),
  );
  call.on('end', () =>
    guard(() => {
      if (!ended) throw new ProtocolError('the parse stream ended without exit');
      over = true;
      call.end();
    }),
  );
  call.on('cancelled', () => {
    over = true;
    sender.stop();
  });
}
