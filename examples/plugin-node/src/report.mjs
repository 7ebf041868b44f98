// The report on one command: what the runner says, file by file, and what the end of its
// process adds.
import { resolve } from 'node:path';
import { TestFile } from './file.mjs';
import { relativePath } from './places.mjs';
import { cutText } from './text.mjs';

// The runner's own counts, which it prints as diagnostics without a file.
const summaryLine = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) (\d+(\.\d+)?)$/;

export class Report {
  #root;
  #out;
  #files = new Map();
  #last; // the file of the latest result
  #begun = false;
  #ended = false;
  #failed = false; // a failure or run error was sent
  #quoted = false; // a run error quotes standard error
  #summary = {};

  constructor(sender, { root, patterns, limit }) {
    this.#root = root;
    this.#out = {
      patterns,
      limit,
      root: () => this.#root,
      add: (field, event) => {
        if (field === 'failures' || field === 'runErrors') this.#failed = true;
        sender.add(field, event);
      },
    };
  }

  // take reads one event, and reports whether it was one.
  take(event) {
    switch (event.e) {
      case 'begin':
        this.#begun = true;
        // The runner's directory; a recorded output has its own.
        if (typeof event.cwd === 'string') this.#root = event.cwd;
        this.#out.add('conditions', { node: cutText(event.node, 256) });
        return true;
      case 'end':
        this.#ended = true;
        return true;
      case 'diagnostic':
        this.#readDiagnostic(event);
        return true;
    }
    if (typeof event.file !== 'string') return false;
    const file = this.#fileOf(event.file);
    switch (event.e) {
      case 'stdout':
      case 'stderr':
        file.output(String(event.text ?? ''));
        return true;
      case 'enqueue':
        return true;
    }
    if (typeof event.name !== 'string' || !Number.isInteger(event.n) || event.n < 0) return false;
    const whole = event.n === 0 && event.at === 1 && event.col === 1 && resolve(this.#root ?? '/', event.name) === resolve(this.#root ?? '/', event.file);
    switch (event.e) {
      case 'dequeue':
        if (whole) file.begin();
        else file.running(event);
        return true;
      case 'complete':
        if (whole) file.complete(event);
        else file.done(event);
        return true;
      case 'start':
        this.#last = file;
        if (!whole) file.start(event);
        return true;
      case 'pass':
      case 'fail':
        this.#last = file;
        if (whole) file.whole(event);
        else file.result(event);
        return true;
    }
    return true; // an unknown event, from a later reporter
  }

  // end adds what is known only now. stderr is the end of the runner's own standard error;
  // end reports whether a run error quotes it.
  end(exit, stderr, damaged) {
    const killed = exit.timedOut || exit.cancelled || Boolean(exit.signal);
    for (const file of this.#files.values()) file.end({ ...exit, complete: this.#ended });
    if (!this.#begun && !killed) this.#addRunError(stderr || `node printed no results and exited with code ${exit.code}`);
    else if (!this.#ended && !killed) {
      this.#addRunError(`the results are incomplete${stderr ? `; node printed:\n${stderr}` : ''}`);
    }
    const missing = this.#ended && !damaged ? this.#findMissing() : '';
    if (missing) this.#addRunError(missing, false);
    if (!this.#failed && !killed && !exit.unknown && exit.code !== 0) {
      this.#addRunError(stderr || `node --test exited with code ${exit.code}, but reported no failure`);
    }
    return this.#quoted && stderr !== '';
  }

  #addRunError(text, quoted = true) {
    this.#quoted ||= quoted;
    this.#out.add('runErrors', cutText(text));
  }

  #fileOf(given) {
    // Node 22 gives some paths relative to its working directory.
    const name = resolve(this.#root ?? '/', given);
    let file = this.#files.get(name);
    if (!file) {
      file = new TestFile(relativePath(this.#root, name), name, this.#out);
      this.#files.set(name, file);
    }
    return file;
  }

  #readDiagnostic(event) {
    const text = String(event.text ?? '');
    const sum = event.file === undefined && summaryLine.exec(text);
    if (sum) {
      this.#summary[sum[1]] = Number(sum[2]);
      return;
    }
    const named = /Test ".*" at (.+?):\d+:\d+ generated/s.exec(text)?.[1];
    const file = named ? this.#files.get(resolve(this.#root ?? '/', named)) : this.#last;
    if (/generated asynchronous activity|resource generated/.test(text) && file) file.late(text);
    else if (event.file === undefined) this.#out.add('notes', cutText(text));
  }

  // findMissing compares the runner's own count of failures with those reported.
  #findMissing() {
    const counted = (this.#summary.fail ?? 0) + (this.#summary.cancelled ?? 0);
    let seen = 0;
    for (const file of this.#files.values()) seen += file.failures;
    return counted > seen ? `node counted ${counted} failed tests, but reported ${seen}: results are missing` : '';
  }
}
