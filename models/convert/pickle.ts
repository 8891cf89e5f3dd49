import { conversionError } from './tensor.js';

/** A class or function that a pickle names. It is never resolved or called. */
export class PickledGlobal {
  constructor(readonly name: string) {}
}

/** A call that a pickle requests, with its arguments. */
export class PickledCall {
  constructor(
    readonly callee: PickledGlobal,
    readonly args: readonly Pickled[],
  ) {}
}

/** A reference that a pickle's reader has to resolve, such as a tensor's storage. */
export class PickledReference {
  constructor(readonly id: Pickled) {}
}

/** A dictionary, ordered or not; its keys are strings or numbers. */
export type PickledMap = Map<string | number, Pickled>;
export type Pickled =
  null | boolean | number | bigint | string | Pickled[] | PickledMap | PickledGlobal | PickledCall | PickledReference;

const ORDERED = 'collections.OrderedDict';
/** Limit of values per pickle: a few tensors need some thousand. */
const MAX_VALUES = 1 << 20;
const MARK = Symbol('mark');

/**
 * Reads a pickle of protocol 2 (https://docs.python.org/3/library/pickletools.html) as data: only instructions that
 * build numbers, text, lists and dictionaries. Requested calls are kept as PickledCall, except for ordered
 * dictionaries; nothing is executed. Tuples become lists. Returns the value and the end of the pickle.
 * @throws AditError for other instructions, too many values, and invalid bytes.
 */
export function readPickle(bytes: Buffer, from: number): { value: Pickled; end: number } {
  return new PickleReader(bytes, from).read();
}

class PickleReader {
  private readonly stack: (Pickled | typeof MARK)[] = [];
  private readonly memo = new Map<number, Pickled>();
  private values = 0;

  constructor(
    private readonly bytes: Buffer,
    private at: number,
  ) {}

  read(): { value: Pickled; end: number } {
    for (;;) {
      const instruction = this.u8();
      if (instruction === OP.stop) return { value: this.pop(), end: this.at };
      this.step(instruction);
      if ((this.values += 1) > MAX_VALUES) throw conversionError('the pickle is too long');
    }
  }

  private step(instruction: number): void {
    switch (instruction) {
      case OP.protocol:
        if (this.u8() > 2) throw conversionError('the pickle has a later protocol than 2');
        return;
      case OP.mark:
        this.stack.push(MARK);
        return;
      case OP.none:
        return this.push(null);
      case OP.true:
        return this.push(true);
      case OP.false:
        return this.push(false);
      case OP.int1:
        return this.push(this.u8());
      case OP.int2:
        return this.push(this.bytes.readUInt16LE(this.taken(2)));
      case OP.int4:
        return this.push(this.bytes.readInt32LE(this.taken(4)));
      case OP.long:
        return this.push(this.long());
      case OP.float:
        return this.push(this.bytes.readDoubleBE(this.taken(8)));
      case OP.text:
        return this.push(this.text(this.u32()));
      case OP.global:
        return this.push(new PickledGlobal(`${this.line()}.${this.line()}`));
      case OP.list:
      case OP.emptyTuple:
        return this.push([]);
      case OP.map:
        return this.push(new Map());
      case OP.tuple:
        return this.push(this.popToMark());
      case OP.tuple1:
      case OP.tuple2:
      case OP.tuple3:
        return this.push(this.popped(instruction - OP.tuple1 + 1));
      case OP.append:
        return this.append(this.popped(1));
      case OP.appends:
        return this.append(this.popToMark());
      case OP.setItem:
        return this.set(this.popped(2));
      case OP.setItems:
        return this.set(this.popToMark());
      case OP.put1:
        return this.remember(this.u8());
      case OP.put4:
        return this.remember(this.u32());
      case OP.get1:
        return this.push(this.remembered(this.u8()));
      case OP.get4:
        return this.push(this.remembered(this.u32()));
      case OP.reference:
        return this.push(new PickledReference(this.pop()));
      case OP.call:
        return this.call();
      case OP.build:
        // The attributes of an ordered dictionary.
        this.pop();
        return;
      default:
        throw conversionError(`the pickle has an instruction ${instruction}, which tensors never need`);
    }
  }

  private call(): void {
    const args = this.pop();
    const callee = this.pop();
    if (!(callee instanceof PickledGlobal) || !Array.isArray(args))
      throw conversionError('the pickle calls no function');
    this.push(callee.name === ORDERED && args.length === 0 ? new Map() : new PickledCall(callee, args));
  }

  private append(values: readonly Pickled[]): void {
    const list = this.top();
    if (!Array.isArray(list)) throw conversionError('the pickle appends to a value that is no list');
    for (const value of values) list.push(value);
  }

  private set(items: readonly Pickled[]): void {
    const map = this.top();
    if (!(map instanceof Map)) throw conversionError('the pickle sets an item of a value that is no dictionary');
    for (let i = 0; i + 1 < items.length; i += 2) {
      const [key, value = null] = items.slice(i, i + 2);
      if (typeof key !== 'string' && typeof key !== 'number') throw conversionError('the pickle has a key that is no text');
      map.set(key, value);
    }
  }

  private remember(place: number): void {
    this.memo.set(place, this.top());
  }

  private remembered(place: number): Pickled {
    const value = this.memo.get(place);
    if (value === undefined) throw conversionError('the pickle refers to a value it has not created');
    return value;
  }

  private push(value: Pickled): void {
    this.stack.push(value);
  }

  private pop(): Pickled {
    const value = this.top();
    this.stack.pop();
    return value;
  }

  private top(): Pickled {
    const value = this.stack.at(-1);
    if (value === undefined || value === MARK) throw conversionError('the pickle pops a value it has not created');
    return value;
  }

  private popped(count: number): Pickled[] {
    return Array.from({ length: count }, () => this.pop()).reverse();
  }

  private popToMark(): Pickled[] {
    const values: Pickled[] = [];
    while (this.stack.at(-1) !== MARK) values.push(this.pop());
    this.stack.pop();
    return values.reverse();
  }

  /** Skips that many bytes, and returns their start. */
  private taken(length: number): number {
    if (this.at + length > this.bytes.length) throw conversionError('the pickle ends too soon');
    this.at += length;
    return this.at - length;
  }

  private u8(): number {
    return this.bytes.readUInt8(this.taken(1));
  }

  private u32(): number {
    return this.bytes.readUInt32LE(this.taken(4));
  }

  /** Two's complement, the lowest byte first. */
  private long(): number | bigint {
    const length = this.u8();
    if (length > 16) throw conversionError('the pickle has a number that tensors never need');
    let value = 0n;
    for (let i = 0; i < length; i += 1) value |= BigInt(this.u8()) << BigInt(8 * i);
    const signed = BigInt.asIntN(8 * length, value);
    return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed;
  }

  private text(length: number): string {
    const from = this.taken(length);
    return this.bytes.toString('utf8', from, this.at);
  }

  private line(): string {
    const end = this.bytes.indexOf(0x0a, this.at);
    if (end < 0) throw conversionError('the pickle ends too soon');
    const text = this.bytes.toString('utf8', this.at, end);
    this.at = end + 1;
    return text;
  }
}

const OP = {
  mark: 0x28,
  emptyTuple: 0x29,
  stop: 0x2e,
  float: 0x47,
  int4: 0x4a,
  int1: 0x4b,
  int2: 0x4d,
  none: 0x4e,
  reference: 0x51,
  call: 0x52,
  text: 0x58,
  list: 0x5d,
  append: 0x61,
  build: 0x62,
  global: 0x63,
  appends: 0x65,
  get1: 0x68,
  get4: 0x6a,
  put1: 0x71,
  put4: 0x72,
  setItem: 0x73,
  tuple: 0x74,
  setItems: 0x75,
  map: 0x7d,
  protocol: 0x80,
  tuple1: 0x85,
  tuple2: 0x86,
  tuple3: 0x87,
  true: 0x88,
  false: 0x89,
  long: 0x8a,
} as const;
