// Texts that fit the protocol: valid Unicode and of limited length.

export const maxMessage = 64 * 1024; // message, note, run error, side of a diff
export const maxOutput = 256 * 1024;
export const maxSample = 4 * 1024;
export const maxPath = 8 * 1024;

// cutText truncates to limit bytes of UTF-8, never within a character.
export function cutText(text, limit = maxMessage, mark = '[TRUNCATED]') {
  const whole = String(text ?? '').toWellFormed();
  if (whole.length * 3 <= limit || Buffer.byteLength(whole) <= limit) return whole;
  const bytes = Buffer.from(whole);
  let end = limit - Buffer.byteLength(mark);
  while (end > 0 && (bytes[end] & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end) + mark;
}

// stripControls removes colors and other control sequences.
export function stripControls(text) {
  return String(text ?? '').replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '');
}

// keepTail keeps the end of a growing text, and copies only now and then.
export function keepTail(text, limit) {
  return text.length > 2 * limit ? text.slice(-limit) : text;
}
