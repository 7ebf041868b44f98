// One test file: a suite of the protocol. Node reports everything twice: at once, as it
// runs (running, done), and in the order of declaration (start, result). Results come from
// the second; what is missing there when the run ends comes from the first.
import { Ending } from './ending.mjs';
import { newFailure } from './failure.mjs';
import { joinName, selectablePath } from './names.mjs';
import { toLocation } from './places.mjs';
import { keepTail, stripControls } from './text.mjs';

const maxTail = 64 * 1024; // bytes kept of the file's own output, for failures of the whole file
const nanos = 1e6; // in a millisecond

export class TestFile {
  failures = 0; // failed tests, as node counts them
  #suite;
  #path;
  #out;
  #stack = []; // of the ordered results: the node at each depth
  #top = newNode({ name: '', ordinal: 1 }, undefined, 'file');
  #live = []; // tests that run, or ended and have no ordered result yet
  #early = []; // results that came before their end
  #ordered = new Set(); // keys of the ordered results so far
  #order = newNode({ name: '', ordinal: 1 }, undefined, 'file');
  #ending = new Ending();
  #tests = 0;
  #failed = false;
  #unfinished = false;

  constructor(suite, path, out) {
    this.#suite = suite;
    this.#path = path;
    this.#out = out;
  }

  output(text) {
    const end = this.#ending;
    end.tail = keepTail(end.tail + text, maxTail);
    for (const [, call] of text.matchAll(/^proctor-node-exit (\{.*\})$/gm)) end.exitCall(call);
  }

  late(text) {
    this.#ending.late.push(text);
  }

  begin() {
    this.#ending.begun = true;
  }

  complete(event) {
    this.#ending.completed = true;
    this.#ending.ms = event.ms ?? 0;
  }

  // whole reads the result of the file itself, which node reports only if the file has no
  // tests or did not end properly.
  whole(event) {
    if (event.e === 'fail' && event.todo === undefined) {
      this.#ending.error = event.error ?? {};
      this.failures++;
    }
  }

  running(event) {
    const enclosing = this.#live.filter((test) => !test.done && test.n === event.n - 1);
    const parent = event.n === 0 ? this.#order : enclosing.at(-1);
    const test = addChild(parent ?? this.#order, event);
    test.n = event.n;
    test.event = event;
    // If several tests run at the depth above, node does not say which one this is in.
    test.lost = !parent || parent.lost || enclosing.length > 1;
    this.#live.push(test);
  }

  done(event) {
    const early = this.#early.findIndex((result) => isSameTest(result, event));
    if (early >= 0) return void this.#early.splice(early, 1);
    let test = this.#live.find((test) => !test.done && isSameTest(test.event, event));
    if (!test) {
      // Node reports the end of cancelled and concurrent tests twice.
      if (this.#ordered.has(keyOf(event)) || this.#live.some((each) => each.done && keyOf(each.done) === keyOf(event))) return;
      this.running(event); // cancelled before it began
      test = this.#live.at(-1);
    }
    test.done = event;
  }

  start(event) {
    this.#stack.length = Math.min(this.#stack.length, event.n);
    const parent = event.n === 0 ? this.#top : this.#stack.at(-1);
    this.#stack.push(addChild(parent ?? this.#top, event));
  }

  result(event) {
    this.#ordered.add(keyOf(event));
    const ended = this.#live.findIndex((test) => test.done && isSameTest(test.event, event));
    const live = ended >= 0 ? ended : this.#live.findIndex((test) => isSameTest(test.event, event));
    if (live >= 0) this.#live.splice(live, 1);
    if (ended < 0) this.#early.push(event); // its end comes after its result
    const test = this.#stack[event.n]?.step.name === event.name ? this.#stack[event.n] : this.#begin(event);
    this.#stack.length = event.n;
    this.#finish(test, event);
  }

  // end reports how the file as a whole ended.
  end(exit) {
    for (const test of this.#live.filter((test) => test.done)) this.#reportOverdue(test);
    const open = this.#live.filter((test) => !test.done);
    this.#unfinished = open.length > 0;
    for (const test of open) this.#reportOpen(test);
    for (const test of [...this.#stack, ...open]) this.#settle(test, test.kind ?? 'test');
    const parents = new Set(open.map((test) => test.parent));
    const leaves = open.filter((test) => !parents.has(test) && !test.lost).map((test) => this.#id(test));
    const { failures, outcome, ms } = this.#ending.close(exit, {
      suite: this.#suite,
      root: this.#out.root(),
      path: this.#path,
      tests: this.#tests,
      failed: this.#failed,
      unfinished: this.#unfinished,
      leaves,
      located: open.map((test) => test.event),
    });
    for (const each of failures) this.#out.add('failures', each);
    this.#out.add('suites', { suite: this.#suite, outcome, elapsedNanos: Math.round(ms * nanos) });
  }

  #begin(event) {
    this.start(event);
    return this.#stack.at(-1);
  }

  // finish knows the result, but perhaps not yet the name, which depends on the kinds of
  // everything that encloses the test. It waits for the outermost unknown one.
  #finish(test, event) {
    const kind = event.kind === 'suite' ? 'suite' : 'test';
    this.#settle(test, test.kind ?? kind);
    test.suite = kind === 'suite';
    if (event.e === 'fail' && event.todo === undefined && !test.suite) this.failures++;
    // Cancelled tests come first. If what encloses them failed by itself, that is the
    // failure, and they did not run; otherwise they are the failures.
    const blamed = event.e === 'fail' && event.error?.type !== 'subtestsFailed';
    for (const [lost, lostEvent] of test.cancelled) this.#whenNamed(lost, () => this.#report(lost, lostEvent, blamed));
    test.cancelled = [];
    const cancelled = event.e === 'fail' && event.error?.type === 'cancelledByParent';
    if (cancelled && test.parent?.parent) {
      test.parent.cancelled.push([test, event]);
      test.parent.ran = true;
    } else this.#whenNamed(test, () => this.#report(test, event));
  }

  #settle(test, kind) {
    test.kind ??= kind;
    const held = test.held;
    test.held = [];
    for (const { test: inner, report } of held) this.#whenNamed(inner, report);
  }

  #whenNamed(test, report) {
    let unknown;
    for (let up = test.parent; up; up = up.parent) if (up.kind === undefined) unknown = up;
    if (unknown) unknown.held.push({ test, report });
    else report();
  }

  #report(test, event, cancelled = false) {
    if (this.#isLeftOut(test, event)) return;
    // It was left out on purpose, however what encloses it ended.
    const deliberate = event.skip !== undefined || event.todo !== undefined;
    const unfinished = cancelled && !deliberate;
    for (let up = test.parent; up; up = up.parent) up.ran = true;
    const id = this.#id(test);
    const failed = event.e === 'fail' && !deliberate && !unfinished;
    const status = unfinished ? 'STATUS_UNFINISHED' : failed ? 'STATUS_FAILED' : statusOf(test, event);
    if (status === 'STATUS_PASSED') for (let up = test.parent; up; up = up.parent) up.proved = true;
    const derived = failed && event.error?.type === 'subtestsFailed' && test.broken;
    if (unfinished) this.#unfinished = true;
    else if (failed) for (let up = test.parent; up; up = up.parent) up.broken = true;
    if (!test.suite) this.#tests++;
    this.#failed ||= failed;
    const declared = toLocation(this.#out.root(), event.file, event.at, event.col);
    if (failed && !derived) this.#out.add('failures', newFailure(this.#out, id, event.error, declared));
    this.#addTest(test, {
      status,
      elapsedNanos: Math.round((Number(event.ms) || 0) * nanos),
      location: declared,
      derived,
      attributes: attributesOf(event),
    });
  }

  #addTest(test, rest) {
    const path = pathOf(test);
    const selectable = selectablePath(path);
    this.#out.add('tests', {
      id: this.#id(test),
      root: selectable.length < path.length ? joinName(selectable) : '',
      container: test.suite === true || test.ran === true,
      ...rest,
    });
  }

  // isLeftOut reports whether the run left the test out: it was not selected, or it is a
  // suite of which only part was selected, so that its pass would prove too much.
  #isLeftOut(test, event) {
    const patterns = this.#out.patterns;
    if (event.e === 'fail') return false;
    if (/^test name does not match pattern$|^test name matches skip pattern$|^'only' option not set$/.test(event.skip ?? '')) return true;
    if (patterns.length === 0 || !test.suite || event.skip !== undefined) return false;
    return !pathOf(test).some((step, i, all) => {
      const full = all.slice(0, i + 1).map((each) => each.name).join(' ');
      return patterns.some((pattern) => pattern.test(step.name) || pattern.test(full));
    });
  }

  // reportOverdue reports a test that ended, but whose ordered result never came.
  #reportOverdue(test) {
    const event = { ...test.done, e: test.done.passed ? 'pass' : 'fail' };
    test.kind ??= event.kind === 'suite' ? 'suite' : 'test';
    test.suite = event.kind === 'suite';
    if (!test.lost) return this.#report(test, event);
    if (event.e === 'pass' || event.todo !== undefined) return undefined;
    this.#failed = true;
    const declared = toLocation(this.#out.root(), event.file, event.at, event.col);
    return this.#out.add('failures', newFailure(this.#out, { suite: this.#suite }, event.error, declared));
  }

  #reportOpen(test) {
    if (test.lost) return;
    test.suite = test.kind === 'suite';
    this.#tests++;
    this.#addTest(test, {
      status: 'STATUS_UNFINISHED',
      location: toLocation(this.#out.root(), test.event.file, test.event.at, test.event.col),
    });
  }

  #id(test) {
    return { suite: this.#suite, name: joinName(pathOf(test)) };
  }
}

function newNode(step, parent, kind) {
  return { step, parent, kind, names: new Map(), held: [], cancelled: [], ran: false, broken: false, proved: false };
}

function addChild(parent, event) {
  const ordinal = (parent.names.get(event.name) ?? 0) + 1;
  parent.names.set(event.name, ordinal);
  const kind = event.kind === 'suite' || event.kind === 'test' ? event.kind : undefined;
  return newNode({ name: event.name, ordinal }, parent, kind);
}

// pathOf returns the path of a test, with the kind of what encloses each step.
function pathOf(test) {
  const out = [];
  for (let up = test; up.parent; up = up.parent) {
    out.unshift({ ...up.step, in: up.parent.parent ? (up.parent.kind ?? 'test') : '' });
  }
  return out;
}

function isSameTest(a, b) {
  return a.n === b.n && a.name === b.name && a.at === b.at && a.col === b.col;
}

function keyOf(event) {
  return [event.n, event.at, event.col, event.no, event.name].join('|');
}

// statusOf returns the status of a test that did not fail. A "todo" proves nothing, however
// it ended, and neither does a block in which no test passed.
function statusOf(test, event) {
  const empty = test.suite && !test.proved;
  return event.skip !== undefined || event.todo !== undefined || empty ? 'STATUS_SKIPPED' : 'STATUS_PASSED';
}

function attributesOf(event) {
  const out = {};
  if (event.skip) out.skip = stripControls(event.skip).slice(0, 4096);
  if (event.todo !== undefined) out.todo = stripControls(event.todo || 'true').slice(0, 4096);
  if (event.todo !== undefined && event.e === 'fail') out.todo_failure = stripControls(event.error?.cause?.message ?? event.error?.message).slice(0, 4096);
  return out;
}
