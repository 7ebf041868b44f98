// One test file: a suite of the protocol. Node tells everything twice: at once,
// as it runs (running, done), and in the order of declaration (start, result).
// Results are taken from the second; what is missing there when the run ends,
// from the first.
import { Ending } from './ending.mjs';
import { failure } from './failure.mjs';
import { join, listed } from './names.mjs';
import { location } from './places.mjs';
import { plain, tailOf } from './text.mjs';

const maxTail = 64 * 1024; // of the file's own output, for failures of the file as a whole
const nanos = 1e6; // in a millisecond

export class TestFile {
  failures = 0; // that node counts as such
  #suite;
  #path;
  #out;
  #stack = []; // of the ordered results: the node at each depth
  #top = node({ name: '', ordinal: 1 }, undefined, 'file');
  #live = []; // tests that run, or ended and have no ordered result yet
  #early = []; // results whose end is yet to be told
  #told = new Set(); // the results that came
  #order = node({ name: '', ordinal: 1 }, undefined, 'file');
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
    end.tail = tailOf(end.tail + text, maxTail);
    for (const [, told] of text.matchAll(/^proctor-node-exit (\{.*\})$/gm)) end.exitCall(told);
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

  // whole is the result of the file itself, which node tells only when it has
  // something to say: no tests, or an end that was none.
  whole(event) {
    if (event.e === 'fail' && event.todo === undefined) {
      this.#ending.error = event.error ?? {};
      this.failures++;
    }
  }

  running(event) {
    const around = this.#live.filter((test) => !test.done && test.n === event.n - 1);
    const parent = event.n === 0 ? this.#order : around.at(-1);
    const test = child(parent ?? this.#order, event);
    test.n = event.n;
    test.event = event;
    // Tests that run side by side at one depth: node does not say whose this is.
    test.lost = !parent || parent.lost || around.length > 1;
    this.#live.push(test);
  }

  done(event) {
    const told = this.#early.findIndex((early) => same(early, event));
    if (told >= 0) return void this.#early.splice(told, 1);
    let test = this.#live.find((test) => !test.done && same(test.event, event));
    if (!test) {
      // Node tells the end of some tests twice: cancelled ones, and concurrent ones.
      if (this.#told.has(key(event)) || this.#live.some((each) => each.done && key(each.done) === key(event))) return;
      this.running(event); // cancelled before it began
      test = this.#live.at(-1);
    }
    test.done = event;
  }

  start(event) {
    this.#stack.length = Math.min(this.#stack.length, event.n);
    const parent = event.n === 0 ? this.#top : this.#stack.at(-1);
    this.#stack.push(child(parent ?? this.#top, event));
  }

  result(event) {
    this.#told.add(key(event));
    const ended = this.#live.findIndex((test) => test.done && same(test.event, event));
    const live = ended >= 0 ? ended : this.#live.findIndex((test) => same(test.event, event));
    if (live >= 0) this.#live.splice(live, 1);
    if (ended < 0) this.#early.push(event); // its end is told after its result
    const test = this.#stack[event.n]?.step.name === event.name ? this.#stack[event.n] : this.#begin(event);
    this.#stack.length = event.n;
    this.#finish(test, event);
  }

  // end tells how the file as a whole came out.
  end(exit) {
    for (const test of this.#live.filter((test) => test.done)) this.#overdue(test);
    const open = this.#live.filter((test) => !test.done);
    this.#unfinished = open.length > 0;
    for (const test of open) this.#open(test);
    for (const test of [...this.#stack, ...open]) this.#settle(test, test.kind ?? 'test');
    const around = new Set(open.map((test) => test.parent));
    const leaves = open.filter((test) => !around.has(test) && !test.lost).map((test) => this.#id(test));
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

  // finish knows the result, and maybe not yet the name: that depends on the
  // kinds of everything around. It waits for the outermost that is unknown.
  #finish(test, event) {
    const kind = event.kind === 'suite' ? 'suite' : 'test';
    this.#settle(test, test.kind ?? kind);
    test.suite = kind === 'suite';
    if (event.e === 'fail' && event.todo === undefined && !test.suite) this.failures++;
    // Cancelled tests come first. When what is around them failed by itself, that
    // is the failure and they have not run; else they are it.
    const blamed = event.e === 'fail' && event.error?.type !== 'subtestsFailed';
    for (const [lost, lostEvent] of test.cancelled) this.#named(lost, () => this.#tell(lost, lostEvent, blamed));
    test.cancelled = [];
    const cancelled = event.e === 'fail' && event.error?.type === 'cancelledByParent';
    if (cancelled && test.parent?.parent) {
      test.parent.cancelled.push([test, event]);
      test.parent.ran = true;
    } else this.#named(test, () => this.#tell(test, event));
  }

  #settle(test, kind) {
    test.kind ??= kind;
    const held = test.held;
    test.held = [];
    for (const { test: inner, tell } of held) this.#named(inner, tell);
  }

  #named(test, tell) {
    let unknown;
    for (let up = test.parent; up; up = up.parent) if (up.kind === undefined) unknown = up;
    if (unknown) unknown.held.push({ test, tell });
    else tell();
  }

  #tell(test, event, cancelled = false) {
    if (this.#left(test, event)) return;
    // Who left it out did so whatever happened around it.
    const meant = event.skip !== undefined || event.todo !== undefined;
    const unfinished = cancelled && !meant;
    for (let up = test.parent; up; up = up.parent) up.ran = true;
    const id = this.#id(test);
    const failed = event.e === 'fail' && !meant && !unfinished;
    const status = unfinished ? 'STATUS_UNFINISHED' : failed ? 'STATUS_FAILED' : statusOf(test, event);
    if (status === 'STATUS_PASSED') for (let up = test.parent; up; up = up.parent) up.proved = true;
    const derived = failed && event.error?.type === 'subtestsFailed' && test.broken;
    if (unfinished) this.#unfinished = true;
    else if (failed) for (let up = test.parent; up; up = up.parent) up.broken = true;
    if (!test.suite) this.#tests++;
    this.#failed ||= failed;
    const declared = location(this.#out.root(), event.file, event.at, event.col);
    if (failed && !derived) this.#out.add('failures', failure(this.#out, id, event.error, declared));
    this.#test(test, {
      status,
      elapsedNanos: Math.round((Number(event.ms) || 0) * nanos),
      location: declared,
      derived,
      attributes: remarks(event),
    });
  }

  #test(test, rest) {
    const path = steps(test);
    const around = listed(path);
    this.#out.add('tests', {
      id: this.#id(test),
      root: around.length < path.length ? join(around) : '',
      container: test.suite === true || test.ran === true,
      ...rest,
    });
  }

  // left says whether the run left the test out: by name, or a suite of which
  // only a part was selected, whose pass would prove too much.
  #left(test, event) {
    const patterns = this.#out.patterns;
    if (event.e === 'fail') return false;
    if (/^test name does not match pattern$|^test name matches skip pattern$|^'only' option not set$/.test(event.skip ?? '')) return true;
    if (patterns.length === 0 || !test.suite || event.skip !== undefined) return false;
    return !steps(test).some((step, i, all) => {
      const full = all.slice(0, i + 1).map((each) => each.name).join(' ');
      return patterns.some((pattern) => pattern.test(step.name) || pattern.test(full));
    });
  }

  // overdue ended, and its ordered result never came.
  #overdue(test) {
    const event = { ...test.done, e: test.done.passed ? 'pass' : 'fail' };
    test.kind ??= event.kind === 'suite' ? 'suite' : 'test';
    test.suite = event.kind === 'suite';
    if (!test.lost) return this.#tell(test, event);
    if (event.e === 'pass' || event.todo !== undefined) return undefined;
    this.#failed = true;
    const declared = location(this.#out.root(), event.file, event.at, event.col);
    return this.#out.add('failures', failure(this.#out, { suite: this.#suite }, event.error, declared));
  }

  #open(test) {
    if (test.lost) return;
    test.suite = test.kind === 'suite';
    this.#tests++;
    this.#test(test, {
      status: 'STATUS_UNFINISHED',
      location: location(this.#out.root(), test.event.file, test.event.at, test.event.col),
    });
  }

  #id(test) {
    return { suite: this.#suite, name: join(steps(test)) };
  }
}

function node(step, parent, kind) {
  return { step, parent, kind, names: new Map(), held: [], cancelled: [], ran: false, broken: false, proved: false };
}

function child(parent, event) {
  const ordinal = (parent.names.get(event.name) ?? 0) + 1;
  parent.names.set(event.name, ordinal);
  const kind = event.kind === 'suite' || event.kind === 'test' ? event.kind : undefined;
  return node({ name: event.name, ordinal }, parent, kind);
}

// steps is the path of a test, with the kind of what each step stands in.
function steps(test) {
  const out = [];
  for (let up = test; up.parent; up = up.parent) {
    out.unshift({ ...up.step, in: up.parent.parent ? (up.parent.kind ?? 'test') : '' });
  }
  return out;
}

function same(a, b) {
  return a.n === b.n && a.name === b.name && a.at === b.at && a.col === b.col;
}

function key(event) {
  return [event.n, event.at, event.col, event.no, event.name].join('|');
}

// statusOf a test that did not fail. A "todo" proves nothing, whatever its end, and
// neither does a block of tests none of which passed.
function statusOf(test, event) {
  const empty = test.suite && !test.proved;
  return event.skip !== undefined || event.todo !== undefined || empty ? 'STATUS_SKIPPED' : 'STATUS_PASSED';
}

function remarks(event) {
  const out = {};
  if (event.skip) out.skip = plain(event.skip).slice(0, 4096);
  if (event.todo !== undefined) out.todo = plain(event.todo || 'true').slice(0, 4096);
  if (event.todo !== undefined && event.e === 'fail') out.todo_failure = plain(event.error?.cause?.message ?? event.error?.message).slice(0, 4096);
  return out;
}
