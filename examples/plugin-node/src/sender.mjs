// Sends events in batches: failures at once, the rest up to 50 ms later.

const waitMillis = 50; // the protocol's limit
const batchBytes = 24 * 1024; // safely below the 32,704 bytes that the protocol recommends

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
    const size = estimateSize(event);
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

// estimateSize returns an upper bound, near enough, of an event's size on the wire.
function estimateSize(value) {
  if (typeof value === 'string') return 4 + Buffer.byteLength(value);
  if (value === null || typeof value !== 'object') return 8;
  return Object.values(value).reduce((sum, part) => sum + estimateSize(part), 8);
}
