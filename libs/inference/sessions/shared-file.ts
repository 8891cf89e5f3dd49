import { randomUUID } from 'node:crypto';
import { open, statfs, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GraphAnswer, GraphRequest } from './graph-calls.js';
import { putTensors, SLOT_BYTES, SLOTS, takeTensors } from './tensor-slots.js';

/** tmpfs, if it has enough free space for several such files; never written to a disk. */
const MEMORY = '/dev/shm';
const MIN_SHARE = 4;

type Request = GraphRequest & { call: number };

/** An unlinked file that this process and a model's process share, for tensors in transit. */
export class SharedFile {
  static readonly BYTES = SLOTS * SLOT_BYTES;
  private readonly free = Array.from({ length: SLOTS }, (_, slot) => SLOTS - 1 - slot);
  /** Slots by the call that holds one until it is answered. */
  private readonly slots = new Map<number, number>();

  private constructor(private readonly handle: FileHandle) {}

  /** Throws the file system's error where neither memory nor the temporary folder has space. */
  static async open(): Promise<SharedFile> {
    const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
    const path = join(bavail * bsize >= MIN_SHARE * SharedFile.BYTES ? MEMORY : tmpdir(), `adit-${randomUUID()}`);
    const handle = await open(path, 'wx+', 0o600);
    await unlink(path);
    return new SharedFile(handle);
  }

  get descriptor(): number {
    return this.handle.fd;
  }

  /** Returns the request with its tensors in a slot of the file, when one is free. */
  async sent(request: Request): Promise<Request & { slot?: number }> {
    const { call, feeds } = request;
    const slot = feeds && this.free.pop();
    if (feeds === undefined || slot === undefined) return request;
    this.slots.set(call, slot);
    // Tensors in a slot have no data here, which only the other end knows.
    return { ...request, slot, feeds: (await putTensors(this, slot, feeds)) as GraphRequest['feeds'] & object };
  }

  /**
   * Returns the answer with its tensors. The other end is untrusted: a position outside the call's slot becomes its
   * error.
   */
  async received(answer: GraphAnswer): Promise<GraphAnswer> {
    const { call, value } = answer;
    const slot = this.slots.get(call);
    if (slot === undefined) return answer;
    this.slots.delete(call);
    try {
      return Array.isArray(value) ? { ...answer, value: await takeTensors(this, slot, value) } : answer;
    } catch (error) {
      return { call, error: error instanceof Error ? error.message : String(error) };
    } finally {
      this.free.push(slot);
    }
  }

  async read(view: Uint8Array, at: number): Promise<number> {
    return (await this.handle.read(view, 0, view.byteLength, at)).bytesRead;
  }

  async write(view: Uint8Array, at: number): Promise<number> {
    return (await this.handle.write(view, 0, view.byteLength, at)).bytesWritten;
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}
