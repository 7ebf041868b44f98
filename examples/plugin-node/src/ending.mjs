// How the process of a test file ended, apart from its tests.
import { ownFrames, toLocation } from './places.mjs';
import { cutText, maxOutput, stripControls } from './text.mjs';

const maxBlamed = 16; // tests to name if many were running at the time limit

export class Ending {
  tail = ''; // of what the file printed
  late = []; // errors after the end of a test
  error; // node's result of the file, if it failed
  begun = false;
  completed = false;
  ms = 0;
  #exit;

  // exitCall reads what the preload printed: process.exit was called.
  exitCall(text) {
    try {
      const call = JSON.parse(text);
      // The runner calls it itself with --test-force-exit and on a signal. A timer, or a
      // promise, that calls it leaves no frame of the file.
      const [caller = ''] = /^\s+at .*$/m.exec(String(call.stack)) ?? [];
      if (!caller.includes('node:internal/test_runner/')) this.#exit ??= call;
    } catch {
      // A test printed something similar: it is output.
    }
  }

  close(exit, file) {
    const failures = this.#failures(exit, file);
    return { failures, outcome: this.#outcome(exit, file), ms: this.ms };
  }

  #failures(exit, file) {
    if (this.#exit) return [this.#exitFailure(file)];
    const stopped = this.error?.type === 'testTimeoutFailure' || (this.begun && !this.completed && exit.timedOut);
    if (stopped) return this.#timeoutFailures(file);
    if (!this.error && this.late.length === 0) return [];
    // If tests failed, a late error is another failure; node does not name the file then.
    const base = { id: { suite: file.suite }, output: this.#printed(), outputTruncated: false };
    if (this.error?.signal) {
      return [{ ...base, kind: 'signal', location: fileLocation(file), message: `the process of the test file was killed by ${cutText(this.error.signal, 64)}` }];
    }
    if (this.late.length > 0) {
      return this.late.map((text) => ({ ...base, kind: 'exception', location: lateLocation(text, file), message: lateMessage(text) }));
    }
    return [{ ...base, ...this.#crashFailure(file) }];
  }

  // crashFailure reads what node printed when the file could not be loaded or threw.
  #crashFailure(file) {
    const text = stripControls(this.tail);
    const thrown = [...text.matchAll(/^(?:Uncaught )?((?:[\w$.]*Error|[\w$.]*Exception)(?: \[\w+\])?: [^]*?)(?=\n\s+at |\n\n|$)/gm)].at(-1);
    const frames = ownFrames(file.root, thrown ? text.slice(thrown.index) : text);
    const load = /^(SyntaxError|Error \[ERR_(MODULE|UNKNOWN_FILE|REQUIRE|PACKAGE|UNSUPPORTED)|Error: Cannot find (module|package))/.test(thrown?.[1] ?? '');
    // Node prints the location of a syntax error as "path:line" above the source.
    const shown = [...text.slice(0, thrown?.index ?? 0).matchAll(/^((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/]).*?):(\d+)$/gm)].at(-1);
    const syntax = shown && toLocation(file.root, shown[1], Number(shown[2]), 0);
    return {
      kind: load ? 'build' : 'fatal',
      location: (thrown?.[1].startsWith('SyntaxError') && syntax) || frames[0]?.location || syntax || fileLocation(file),
      stack: frames,
      message: cutText(thrown?.[1].trim() ?? `the test file exited with code ${this.error.exit ?? 'unknown'}, but no test failed`),
    };
  }

  #exitFailure(file) {
    const frames = ownFrames(file.root, this.#exit.stack);
    return {
      id: { suite: file.suite },
      kind: 'exit',
      location: frames[0]?.location ?? fileLocation(file),
      stack: frames,
      message: `process.exit(${Number(this.#exit.code) || 0}) was called in a test file: node does not say which of its tests had not run`,
      output: this.#printed(),
    };
  }

  #timeoutFailures(file) {
    const limit = /after (\d+)ms/.exec(this.error?.message ?? '')?.[1];
    const message = limit ? `still running at the time limit of ${limit} ms` : 'still running at the time limit';
    const failures = file.leaves.slice(0, maxBlamed).map((id, i) => ({
      id,
      kind: 'timeout',
      location: toLocation(file.root, file.located[i]?.file, file.located[i]?.at, file.located[i]?.col),
      precision: 'PRECISION_DECLARATION',
      message,
    }));
    if (failures.length > 0) return failures;
    return [{ id: { suite: file.suite }, kind: 'timeout', location: fileLocation(file), message, output: this.#printed() }];
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

  #printed() {
    return cutText(stripControls(this.tail), maxOutput);
  }
}

function fileLocation(file) {
  return toLocation(file.root, file.path, 0, 0);
}

// A late error names the test that it came from, but no line of its own.
function lateLocation(text, file) {
  const at = /Test ".*" at (.+?):(\d+):(\d+) generated/s.exec(text);
  return at ? toLocation(file.root, file.path, Number(at[2]), Number(at[3])) : fileLocation(file);
}

function lateMessage(text) {
  const error = /created the error "([^]*)" (?:and would|which triggered)/.exec(text)?.[1];
  const test = /Test "([^]*)" at /.exec(text)?.[1];
  if (!error) return cutText(stripControls(text));
  return cutText(stripControls(`${error} (after the end of ${test === undefined ? 'every test' : `test ${JSON.stringify(test)}`})`));
}
