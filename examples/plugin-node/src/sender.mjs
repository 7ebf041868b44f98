// Batches of events: failures at once, the rest up to 50 ms later.

const waitMillis = 50; // the protocol's limit
const batchBytes = 24 * 1024; // safely below the 32,704 that pass without copying

export class Sender {
  #write;
  #batch = {};
  #size = 0;
  #timer;

  constructor(write) {
    this.#write = write;
  }

  // add puts one event into a field of the response.
  add(field, event) {
    const size = weigh(event);
    if (this.#size + size > batchBytes) this.flush();
    if (field === 'conditions') Object.assign((this.#batch.conditions ??= {}), event);
    else (this.#batch[field] ??= []).push(event);
    this.#size += size;
    if (field === 'failures' || field === 'runErrors') this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), waitMillis);
  }

  flush() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#size === 0) return;
    this.#write(this.#batch);
    this.#batch = {};
    this.#size = 0;
  }

  stop() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

// weigh is not smaller than what the event takes on the wire, near enough.
function weigh(value) {
  if (typeof value === 'string') return 4 + Buffer.byteLength(value);
  if (value === null || typeof value !== 'object') return 8;
  return Object.values(value).reduce((sum, part) => sum + weigh(part), 8);
}
