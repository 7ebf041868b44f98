// How a test file ended, apart from its tests: the process that ran it.
import { location, ownFrames } from './places.mjs';
import { cutText, maxOutput, plain } from './text.mjs';

const maxBlamed = 16; // tests to name when many ran as the time was over

export class Ending {
  tail = ''; // of what the file printed
  late = []; // errors behind the end of a test
  error; // node's result of the file, when it failed
  begun = false;
  completed = false;
  ms = 0;
  #exit;

  // exitCall is what the preload told: process.exit was called.
  exitCall(text) {
    try {
      const told = JSON.parse(text);
      // Without a frame outside of node it was the runner itself.
      if (/^\s+at (?!.*\(?node:)/m.test(String(told.stack))) this.#exit ??= told;
    } catch {
      // A test printed something alike; it is output.
    }
  }

  close(exit, file) {
    const failures = this.#failures(exit, file);
    return { failures, outcome: this.#outcome(exit, file), ms: this.ms };
  }

  #failures(exit, file) {
    if (this.#exit) return [this.#exited(file)];
    const stopped = this.error?.type === 'testTimeoutFailure' || (this.begun && !this.completed && exit.timedOut);
    if (stopped) return this.#stopped(file);
    if (!this.error && this.late.length === 0) return [];
    // With tests that failed a late error is one more; node tells no file then.
    const base = { id: { suite: file.suite }, output: this.#output(), outputTruncated: false };
    if (this.error?.signal) {
      return [{ ...base, kind: 'signal', location: here(file), message: `the test file was ended by ${cutText(this.error.signal, 64)}` }];
    }
    if (this.late.length > 0) {
      return this.late.map((text) => ({ ...base, kind: 'exception', location: lateAt(text, file), message: lateMessage(text) }));
    }
    return [{ ...base, ...this.#crash(file) }];
  }

  // crash reads what node printed when the file could not be loaded or threw.
  #crash(file) {
    const text = plain(this.tail);
    const thrown = [...text.matchAll(/^(?:Uncaught )?((?:[\w$.]*Error|[\w$.]*Exception)(?: \[\w+\])?: [^]*?)(?=\n\s+at |\n\n|$)/gm)].at(-1);
    const frames = ownFrames(file.root, thrown ? text.slice(thrown.index) : text);
    const load = /^(SyntaxError|Error \[ERR_(MODULE|UNKNOWN_FILE|REQUIRE|PACKAGE|UNSUPPORTED)|Error: Cannot find (module|package))/.test(thrown?.[1] ?? '');
    // Node shows the place of a syntax error as "path:line" above the source.
    const shown = [...text.slice(0, thrown?.index ?? 0).matchAll(/^((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/]).*?):(\d+)$/gm)].at(-1);
    const syntax = shown && location(file.root, shown[1], Number(shown[2]), 0);
    return {
      kind: load ? 'build' : 'fatal',
      location: (thrown?.[1].startsWith('SyntaxError') && syntax) || frames[0]?.location || syntax || here(file),
      stack: frames,
      message: cutText(thrown?.[1].trim() ?? `the test file ended with code ${this.error.exit ?? 'unknown'} and no test failed`),
    };
  }

  #exited(file) {
    const frames = ownFrames(file.root, this.#exit.stack);
    return {
      id: { suite: file.suite },
      kind: 'exit',
      location: frames[0]?.location ?? here(file),
      stack: frames,
      message: `process.exit(${Number(this.#exit.code) || 0}) was called in a test file: node does not say which of its tests had not run`,
      output: this.#output(),
    };
  }

  #stopped(file) {
    const limit = /after (\d+)ms/.exec(this.error?.message ?? '')?.[1];
    const message = limit ? `still running when the limit of ${limit} ms was over` : 'still running when the time was over';
    const failures = file.leaves.slice(0, maxBlamed).map((id, i) => ({
      id,
      kind: 'timeout',
      location: location(file.root, file.located[i]?.file, file.located[i]?.at, file.located[i]?.col),
      precision: 'PRECISION_DECLARATION',
      message,
    }));
    if (failures.length > 0) return failures;
    return [{ id: { suite: file.suite }, kind: 'timeout', location: here(file), message, output: this.#output() }];
  }

  #outcome(exit, file) {
    if (this.#exit || this.error?.signal || this.error?.type === 'testTimeoutFailure') return 'SUITE_OUTCOME_ABORTED';
    if (!this.completed) return exit.complete ? 'SUITE_OUTCOME_ABORTED' : 'SUITE_OUTCOME_UNFINISHED';
    if (this.error && file.tests === 0) return 'SUITE_OUTCOME_BUILD_FAILED';
    if (this.error && file.unfinished) return 'SUITE_OUTCOME_ABORTED';
    if (file.failed) return 'SUITE_OUTCOME_FAILED';
    if (this.error || this.late.length > 0) return 'SUITE_OUTCOME_FAILED_OUTSIDE_TESTS';
    if (file.unfinished) return 'SUITE_OUTCOME_UNFINISHED';
    return file.tests === 0 ? 'SUITE_OUTCOME_NO_TESTS' : 'SUITE_OUTCOME_PASSED';
  }

  #output() {
    return cutText(plain(this.tail), maxOutput);
  }
}

function here(file) {
  return location(file.root, file.path, 0, 0);
}

// A late error says the test that it came from, and no line of its own.
function lateAt(text, file) {
  const at = /Test ".*" at (.+?):(\d+):(\d+) generated/s.exec(text);
  return at ? location(file.root, file.path, Number(at[2]), Number(at[3])) : here(file);
}

function lateMessage(text) {
  const error = /created the error "([^]*)" (?:and would|which triggered)/.exec(text)?.[1];
  const test = /Test "([^]*)" at /.exec(text)?.[1];
  if (!error) return cutText(plain(text));
  return cutText(plain(`${error} (after the end of ${test === undefined ? 'every test' : `test ${JSON.stringify(test)}`})`));
}
