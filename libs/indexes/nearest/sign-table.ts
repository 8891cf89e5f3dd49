import { elementAt } from '@adit/contracts';
import { RowNumbers } from './row-numbers.js';
import { FOUND_BYTES, ROWS_TOGETHER, signKernel, VECTOR_BYTES, wasmMemory, type SignKernel } from './sign-kernel.js';

const PAGE_BYTES = 65_536;
/** Allocation unit of a table. */
const BLOCK_BYTES = 4 * PAGE_BYTES;
/** Groups per block, limited by the size of the output. */
const MAX_GROUPS = 4_096;
/** Addresses of the query, and of the output for a block. */
const QUERY = 0;
const FOUND = PAGE_BYTES;
const SCRATCH_BYTES = FOUND + MAX_GROUPS * FOUND_BYTES;
/** Further values are ignored. */
const MAX_VALUES = 16_000;
/** Upper bound of distances. */
const FARTHEST = 65_535;
/** Factor that combines distance and row for sorting. */
const ROWS = 2 ** 32;
/** Limit of 32-bit addresses; callers stay below. */
const MAX_PAGES = 65_535;

/** Blocks that tables allocate and release. Allocated memory stays with the thread. */
export class SignMemory {
  private readonly memory = wasmMemory(SCRATCH_BYTES / PAGE_BYTES, MAX_PAGES);
  private readonly kernels = new Map<number, SignKernel>();
  private readonly free: number[] = [];

  /** Fetched after each growth, which detaches the previous buffer. */
  get bytes(): ArrayBuffer {
    return this.memory.buffer;
  }

  take(): number {
    const freed = this.free.pop();
    if (freed !== undefined) return freed;
    return this.memory.grow(BLOCK_BYTES / PAGE_BYTES) * PAGE_BYTES;
  }

  /** Clears released blocks, so that no data stays. */
  give(blocks: readonly number[]): void {
    for (const block of blocks) new Uint8Array(this.bytes, block, BLOCK_BYTES).fill(0);
    this.free.push(...blocks);
  }

  kernelOf(words: number): SignKernel {
    const made = this.kernels.get(words) ?? signKernel(words, this.memory);
    this.kernels.set(words, made);
    return made;
  }
}

/** Signs of embeddings by identity. */
export class SignTable {
  private readonly rows = new RowNumbers();
  private readonly blocks: number[] = [];
  /** Number of 32-bit words per row. */
  private readonly words: number;
  private readonly groupBytes: number;
  private readonly rowsInBlock: number;

  constructor(
    private readonly memory: SignMemory,
    dimensions: number,
  ) {
    this.words = Math.ceil(Math.min(dimensions, MAX_VALUES) / 32);
    this.groupBytes = this.words * VECTOR_BYTES;
    this.rowsInBlock = Math.min(Math.floor(BLOCK_BYTES / this.groupBytes), MAX_GROUPS) * ROWS_TOGETHER;
  }

  get size(): number {
    return this.rows.size;
  }

  /** @param signs a bit per value */
  set(id: number, signs: Uint8Array): void {
    const row = this.rows.rowOf(id);
    const block = Math.floor(row / this.rowsInBlock);
    if (block === this.blocks.length) this.blocks.push(this.memory.take());
    const at = row % this.rowsInBlock;
    const group = elementAt(this.blocks, block) + Math.floor(at / ROWS_TOGETHER) * this.groupBytes;
    const own = new Uint8Array(this.memory.bytes, group, this.groupBytes);
    const lane = (at % ROWS_TOGETHER) * 4;
    for (let byte = 0; byte < this.words * 4; byte += 1)
      own[(byte >> 2) * VECTOR_BYTES + lane + (byte & 3)] = signs[byte] ?? 0;
  }

  /** Returns the given number of identities whose signs differ least, unordered. */
  nearest(signs: Uint8Array, count: number): number[] {
    const query = new Uint8Array(this.memory.bytes, QUERY, this.groupBytes);
    for (let at = 0; at < query.length; at += 1) query[at] = signs[(at >> 4) * 4 + (at & 3)] ?? 0;
    // Rows with their distance; once enough are found, farther ones are skipped.
    let nearest: number[] = [];
    let limit = FARTHEST;
    for (const block of this.blocks.keys()) {
      for (const found of this.within(block, limit)) nearest.push(found);
      if (nearest.length < 2 * count) continue;
      nearest = first(nearest, count);
      limit = Math.floor(elementAt(nearest, -1) / ROWS) - 1;
    }
    return first(nearest, count).map((found) => this.rows.idOf(found % ROWS));
  }

  /** Frees the memory; the table must not be used any more. */
  drop(): void {
    this.memory.give(this.blocks);
  }

  /** Returns rows of a block within the limit. */
  private within(block: number, limit: number): number[] {
    const address = elementAt(this.blocks, block);
    const before = block * this.rowsInBlock;
    const rows = Math.min(this.rowsInBlock, this.size - before);
    const last = address + Math.ceil(rows / ROWS_TOGETHER) * this.groupBytes;
    const end = this.memory.kernelOf(this.words)(QUERY, address, last, limit, FOUND);
    const written = new Uint32Array(this.memory.bytes, FOUND, (end - FOUND) / 4);
    const found: number[] = [];
    for (let at = 0; at < written.length; at += FOUND_BYTES / 4) {
      const group = ((elementAt(written, at + ROWS_TOGETHER) - address) / this.groupBytes) * ROWS_TOGETHER;
      for (let lane = 0; lane < ROWS_TOGETHER; lane += 1) {
        const distance = elementAt(written, at + lane);
        // Empty places of the last group are skipped.
        if (distance <= limit && group + lane < rows) found.push(distance * ROWS + before + group + lane);
      }
    }
    return found;
  }
}

/** Returns the smallest `count` numbers. */
function first(numbers: readonly number[], count: number): number[] {
  return [...Float64Array.from(numbers).sort().subarray(0, count)];
}
