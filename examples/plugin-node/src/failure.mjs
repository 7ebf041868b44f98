// Converts what a test threw to a Failure of the protocol.
import { ownFrames } from './places.mjs';
import { cutText, stripControls } from './text.mjs';

// silent is said of an error without a message, which shares its cause with no other.
const silent = 'failed without a message';

// newFailure reads the error of an event. declared is where the test is declared; limit is
// the time limit that this plugin gave to the runner, in milliseconds.
export function newFailure({ root, limit }, id, error, declared) {
  const cause = error?.cause ?? {};
  const frames = ownFrames(root(), cause.stack);
  const at = frames[0]?.location ?? declared;
  const testFrame = frames.find((frame) => frame.location.file === declared?.file)?.location;
  const { message, diff } = describeError(error, cause);
  const out = {
    id,
    kind: kindOf(error, cause, limit),
    location: at,
    message: cutText(message),
    stack: frames,
    precision: frames.length > 0 ? 'PRECISION_UNSPECIFIED' : 'PRECISION_DECLARATION',
    attributes: attributesOf(cause),
  };
  if (message === silent) out.attributes['proctor.truncated'] = '[no message]';
  if (testFrame && testFrame !== at) out.testFrame = testFrame;
  if (diff) out.diff = diff;
  if (cause.because) {
    const [text] = stripControls(cause.because).split(/\n\s+at /);
    out.also = [{ message: cutText(`caused by ${text}`), location: ownFrames(root(), cause.because)[0]?.location }];
  }
  return out;
}

function kindOf(error, cause, limit) {
  switch (error?.type) {
    case 'testTimeoutFailure':
      // "timeout" is for the time limit of the run, not for a limit of the test itself.
      return limit !== undefined && error.message?.includes(`after ${limit}ms`) ? 'timeout' : 'test_timeout';
    case 'hookFailed':
      return 'setup';
    case 'cancelledByParent':
    case 'testAborted':
      return 'cancelled';
    default:
      return cause.code === 'ERR_ASSERTION' || cause.name === 'AssertionError' ? 'assertion' : 'exception';
  }
}

function describeError(error, cause) {
  let text = stripControls(cause.message ?? error?.message ?? '').trimEnd();
  let diff;
  const truth = cause.operator === '==' && cause.want === 'true'; // assert.ok: nothing to compare
  if (!truth && (cause.got !== undefined || cause.want !== undefined)) {
    diff = { got: cutText(stripControls(cause.got)), want: cutText(stripControls(cause.want)) };
  }
  if (cause.generated) {
    // "Expected values to be strictly equal:\n\n1 !== 2\n": a heading and a body.
    const [head, ...rest] = text.split('\n');
    const body = rest.filter((line, i) => line !== '' || i > 0).join('\n').replace(/^\+ actual - expected\n/, '').trimEnd();
    const short = body.trim().split('\n').length === 1;
    text = short && body.trim() ? `${head} ${body.trim()}` : head.replace(/:$/, '');
    if (diff && !short) diff.text = cutText(body.replace(/^\n/, ''));
  } else if (cause.name && cause.name !== 'Error' && cause.name !== 'AssertionError') {
    text = `${stripControls(cause.name)}: ${text}`;
  }
  if (error?.type === 'hookFailed' && error.message && error.message !== text) text = `${stripControls(error.message)}: ${text}`;
  return { message: text || silent, diff };
}

function attributesOf(cause) {
  const out = {};
  if (cause.code && cause.code !== 'ERR_ASSERTION') out.code = cutText(cause.code, 1024);
  return out;
}
