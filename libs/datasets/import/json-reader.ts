import { AditError } from '@adit/contracts';

/** Limit of one value that is read as a whole: many times the metadata of a class or an image. */
const MAX_VALUE_BYTES = 1 << 20;
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Incremental JSON reader, by member or element, so that a long list is read in time slices and at most one element is
 * held. The value at which `members` or `elements` stand has to be consumed, by `value`, `skip` or one of the two
 * again, before they continue. All throw MEDIA_INVALID for invalid JSON, or another kind of value.
 */
export class JsonReader {
  private at = 0;

  /** `name` is used in messages. */
  constructor(
    private readonly name: string,
    private readonly bytes: Buffer,
  ) {}

  /** Yields the names of an object's members. */
  *members(): Generator<string> {
    this.expect(OPEN_OBJECT, 'an object');
    if (this.take(CLOSE_OBJECT)) return;
    do {
      if (this.peek() !== QUOTE) throw this.fault();
      const name = this.value();
      this.expect(COLON, 'a colon');
      yield String(name);
    } while (this.take(COMMA));
    this.expect(CLOSE_OBJECT, 'the end of an object');
  }

  /** Yields the indexes of a list's elements, from 0. */
  *elements(): Generator<number> {
    this.expect(OPEN_LIST, 'a list');
    if (this.take(CLOSE_LIST)) return;
    let place = 0;
    do yield place++;
    while (this.take(COMMA));
    this.expect(CLOSE_LIST, 'the end of a list');
  }

  /** Returns the next value. Throws TOO_LARGE for one that is too large to hold. */
  value(): unknown {
    const from = this.begin();
    const to = this.end(from);
    if (to - from > MAX_VALUE_BYTES) {
      throw new AditError('TOO_LARGE', `${this.name}: one entry has more than ${MAX_VALUE_BYTES} bytes.`);
    }
    this.at = to;
    try {
      return JSON.parse(this.bytes.toString('utf8', from, to));
    } catch (error) {
      throw this.fault(error);
    }
  }

  /** Skips the next value of any kind. */
  skip(): void {
    this.at = this.end(this.begin());
  }

  /** Skips it in steps, as long as it has many values and not a large one. */
  *pass(): Generator<void> {
    const next = this.peek();
    if (next === OPEN_LIST) {
      for (const _ of this.elements()) {
        this.skip();
        yield;
      }
    } else if (next === OPEN_OBJECT) {
      for (const _ of this.members()) {
        this.skip();
        yield;
      }
    } else this.skip();
  }

  /** True when a list comes next. */
  get isAtList(): boolean {
    return this.peek() === OPEN_LIST;
  }

  /** Throws MEDIA_INVALID when something is left. */
  finish(): void {
    if (this.begin() < this.bytes.length) throw this.fault();
  }

  private expect(byte: number, what: string): void {
    if (!this.take(byte)) throw this.fault(undefined, what);
  }

  private take(byte: number): boolean {
    if (this.peek() !== byte) return false;
    this.at += 1;
    return true;
  }

  private peek(): number | undefined {
    return this.bytes[this.begin()];
  }

  /** Skips white space. */
  private begin(): number {
    while (isSpace(this.bytes[this.at])) this.at += 1;
    return this.at;
  }

  /** Returns the end of the value that begins at `from`, without further validation of its content. */
  private end(from: number): number {
    const { bytes } = this;
    let depth = 0;
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        at = this.endOfString(at);
        if (depth === 0) return at + 1;
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        depth -= 1;
        // Ends a number or a word at the end of its container.
        if (depth < 0) return at;
        if (depth === 0) return at + 1;
      } else if (depth === 0 && (byte === COMMA || isSpace(byte))) return at;
    }
    if (depth > 0) throw this.fault();
    return bytes.length;
  }

  /** Returns the position of the closing quote. */
  private endOfString(from: number): number {
    for (let at = from + 1; at < this.bytes.length; at += 1) {
      const byte = this.bytes[at];
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) return at;
    }
    throw this.fault();
  }

  private fault(cause?: unknown, expected?: string): AditError {
    const what = expected === undefined ? '' : `: expected ${expected}`;
    return new AditError('MEDIA_INVALID', `${this.name} is no JSON at byte ${this.at}${what}.`, { cause });
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
