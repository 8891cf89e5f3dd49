import { AditError } from '@adit/contracts';

/** Bytes of one value that is read as a whole: many times what a class or an image says of itself. */
const MOST_VALUE_BYTES = 1 << 20;
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * JSON read from its beginning to its end, a member or an element at a time, so that whoever reads a long list can let others have
 * their turn and never holds more of it than one element. What `members` and `elements` stand at is to be read, by `value`,
 * `skip` or one of the two again, before they go on. All throw MEDIA_INVALID for what is no JSON, or another kind of value.
 */
export class JsonReader {
  private at = 0;

  /** `name` is what messages call it. */
  constructor(
    private readonly name: string,
    private readonly bytes: Buffer,
  ) {}

  /** The names of an object's members. */
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

  /** The places of a list's elements, from 0. */
  *elements(): Generator<number> {
    this.expect(OPEN_LIST, 'a list');
    if (this.take(CLOSE_LIST)) return;
    let place = 0;
    do yield place++;
    while (this.take(COMMA));
    this.expect(CLOSE_LIST, 'the end of a list');
  }

  /** The value that comes next. Throws TOO_LARGE for one that nobody should hold in one piece. */
  value(): unknown {
    const from = this.begin();
    const to = this.end(from);
    if (to - from > MOST_VALUE_BYTES) {
      throw new AditError('TOO_LARGE', `${this.name}: one entry has more than ${MOST_VALUE_BYTES} bytes.`);
    }
    this.at = to;
    try {
      return JSON.parse(this.bytes.toString('utf8', from, to));
    } catch (error) {
      throw this.fault(error);
    }
  }

  /** Passes the value that comes next over, whatever it is made of. */
  skip(): void {
    this.at = this.end(this.begin());
  }

  /** The same in steps, as long as what it holds are many values and not a large one. */
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

  /** Whether a list comes next. */
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

  /** Behind white space. */
  private begin(): number {
    while (isSpace(this.bytes[this.at])) this.at += 1;
    return this.at;
  }

  /** Where the value that begins at `from` ends. What is in it is looked at only as far as that needs. */
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
        // Behind a number or a word at the end of what holds it.
        if (depth < 0) return at;
        if (depth === 0) return at + 1;
      } else if (depth === 0 && (byte === COMMA || isSpace(byte))) return at;
    }
    if (depth > 0) throw this.fault();
    return bytes.length;
  }

  /** Where the closing quote is. */
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
