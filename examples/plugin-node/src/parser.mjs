// One command's output, from bytes to the events of the protocol.
import { isUtf8 } from 'node:buffer';
import { Lines } from './lines.mjs';
import { Report } from './report.mjs';
import { cutText, maxSample, plain, tailOf } from './text.mjs';

const maxTail = 64 * 1024; // what is kept of standard error, for a runner that could not start

export class Parser {
  #mark;
  #report;
  #sender;
  #streams;
  #unread = { out: { plain: nothing(), damaged: nothing() }, err: nothing() };
  #errorTail = '';

  constructor(start, sender) {
    const argv = start.command?.argv ?? [];
    const word = argv.map((word) => /reporter-(\w+)\.mjs$/.exec(word)?.[1]).find(Boolean);
    // A recorded output comes without its command: its first line tells the word.
    this.#mark = word ? `proctor-node:${word} ` : undefined;
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
    const told = this.#report.end(exit, plain(this.#errorTail).trim(), damaged.bytes > 0);
    // What stands in a run error was read.
    const rest = told ? [this.#unread.out.plain] : [this.#unread.out.plain, this.#unread.err];
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
    if (head < 0) return skip(this.#unread.out.plain, text, size);
    if (head > 0) skip(this.#unread.out.plain, line.subarray(0, head).toString('utf8'), head);
    // The reporter writes nothing but UTF-8: with other bytes a name may be another one.
    const own = line.subarray(head);
    const event = cut || !isUtf8(own) ? undefined : parse(own.toString('utf8', this.#mark.length));
    if (event && this.#report.take(event)) return;
    skip(this.#unread.out.damaged, own.toString('utf8'), size - head);
  }

  #errLine(line, size) {
    const text = line.toString('utf8');
    this.#errorTail = tailOf(`${this.#errorTail}${text.slice(0, maxTail)}\n`, maxTail);
    skip(this.#unread.err, text, size);
  }
}

function nothing() {
  return { bytes: 0, sample: '' };
}

function skip(unread, text, size) {
  unread.bytes += size;
  if (unread.sample.length < maxSample) unread.sample += `${text.slice(0, maxSample)}\n`;
}

function parse(text) {
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
      // Node refuses it too, and says so.
    }
  });
  return out;
}

function limitOf(argv) {
  return argv.map((word) => /^--test-timeout=(\d+)$/.exec(word)?.[1]).find(Boolean);
}
