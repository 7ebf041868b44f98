// Splits chunks, which may end anywhere, into lines.

const maxLine = 4 * 1024 * 1024; // the reporter keeps its lines well below
const newline = 0x0a;

// Lines calls take with every line as a Buffer, without its end, and with the number of
// bytes that it really had. Of a line that is too long, take gets only the beginning.
export class Lines {
  #parts = [];
  #held = 0;
  #size = 0;
  #take;

  constructor(take) {
    this.#take = take;
  }

  write(chunk) {
    let from = 0;
    for (;;) {
      const at = chunk.indexOf(newline, from);
      if (at < 0) break;
      this.#keep(chunk.subarray(from, at));
      this.#size++;
      this.#flush();
      from = at + 1;
    }
    this.#keep(chunk.subarray(from));
  }

  // end passes on a last line without a newline.
  end() {
    if (this.#size > 0) this.#flush(true);
  }

  #keep(part) {
    this.#size += part.length;
    const room = maxLine - this.#held;
    if (part.length === 0 || room <= 0) return;
    // A copy: the chunk's memory belongs to the connection.
    const kept = Buffer.from(part.subarray(0, room));
    this.#parts.push(kept);
    this.#held += kept.length;
  }

  #flush(unfinished = false) {
    const line = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
    const size = this.#size;
    this.#parts = [];
    this.#held = 0;
    this.#size = 0;
    this.#take(line, size, { unfinished, cut: size > maxLine + 1 });
  }
}
