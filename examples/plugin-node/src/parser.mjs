// Parses the output of one command into the events of the protocol.
import { isUtf8 } from 'node:buffer';
import { Lines } from './lines.mjs';
import { Report } from './report.mjs';
import { cutText, keepTail, maxSample, stripControls } from './text.mjs';

const maxTail = 64 * 1024; // of standard error, in case the runner could not start

export class Parser {
  #mark;
  #report;
  #sender;
  #streams;
  #unread = { out: { plain: newUnread(), damaged: newUnread() }, err: newUnread() };
  #errorTail = '';

  constructor(start, sender) {
    const argv = start.command?.argv ?? [];
    const token = argv.map((word) => /reporter-(\w+)\.mjs$/.exec(word)?.[1]).find(Boolean);
    // A recorded output comes without its command: its first line has the token.
    this.#mark = token ? `proctor-node:${token} ` : undefined;
    this.#sender = sender;
    this.#report = new Report(sender, { root: start.workspace?.root, patterns: patternsOf(argv), limit: limitOf(argv) });
    this.#streams = {
      out: new Lines((line, size, how) => this.#outLine(line, size, how)),
      err: new Lines((line, size) => this.#errLine(line, size)),
    };
  }

  write(stream, data) {
    (stream === 'STREAM_STDERR' ? this.#streams.err : this.#streams.out).write(data);
  }

  end(exit) {
    this.#streams.out.end();
    this.#streams.err.end();
    const { damaged } = this.#unread.out;
    const quoted = this.#report.end(exit, stripControls(this.#errorTail).trim(), damaged.bytes > 0);
    // What is quoted in a run error counts as read.
    const rest = quoted ? [this.#unread.out.plain] : [this.#unread.out.plain, this.#unread.err];
    for (const { bytes, sample } of rest) {
      if (bytes > 0) this.#sender.add('unread', { bytes, sample: cutText(sample, maxSample) });
    }
    if (damaged.bytes > 0) {
      this.#sender.add('unread', { bytes: damaged.bytes, damaged: true, sample: cutText(damaged.sample, maxSample) });
    }
  }

  #outLine(line, size, { cut }) {
    const text = line.toString('utf8');
    this.#mark ??= /^proctor-node:\w+ (?=\{"e":"begin")/.exec(text)?.[0];
    const head = this.#mark ? line.indexOf(this.#mark) : -1;
    if (head < 0) return addUnread(this.#unread.out.plain, text, size);
    if (head > 0) addUnread(this.#unread.out.plain, line.subarray(0, head).toString('utf8'), head);
    // The reporter writes only UTF-8: other bytes are damage, and a name may be wrong.
    const own = line.subarray(head);
    const event = cut || !isUtf8(own) ? undefined : parseEvent(own.toString('utf8', this.#mark.length));
    if (event && this.#report.take(event)) return;
    addUnread(this.#unread.out.damaged, own.toString('utf8'), size - head);
  }

  #errLine(line, size) {
    const text = line.toString('utf8');
    this.#errorTail = keepTail(`${this.#errorTail}${text.slice(0, maxTail)}\n`, maxTail);
    addUnread(this.#unread.err, text, size);
  }
}

function newUnread() {
  return { bytes: 0, sample: '' };
}

function addUnread(unread, text, size) {
  unread.bytes += size;
  if (unread.sample.length < maxSample) unread.sample += `${text.slice(0, maxSample)}\n`;
}

function parseEvent(text) {
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === 'object' && typeof value.e === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

// patternsOf returns the patterns by which a command selects tests, as node
// reads them.
function patternsOf(argv) {
  const out = [];
  argv.forEach((word, i) => {
    const text = /^--test-name-pattern=([^]*)$/.exec(word)?.[1] ?? (argv[i - 1] === '--test-name-pattern' ? word : undefined);
    if (text === undefined) return;
    const slashes = /^\/([^]*)\/([a-z]*)$/.exec(text);
    try {
      out.push(slashes ? new RegExp(slashes[1], slashes[2]) : new RegExp(text));
    } catch {
      // Node rejects it too, and says so.
    }
  });
  return out;
}

function limitOf(argv) {
  return argv.map((word) => /^--test-timeout=(\d+)$/.exec(word)?.[1]).find(Boolean);
}
