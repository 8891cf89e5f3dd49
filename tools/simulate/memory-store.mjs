// Objects in memory: the simulation has observations alone, which are small.
import { Readable } from 'node:stream';
import { AditError } from '@adit/contracts';

export class MemoryStore {
  #objects = new Map();

  async put(key, body) {
    this.#objects.set(key, body instanceof Uint8Array ? Buffer.from(body) : Buffer.concat(await body.toArray()));
    return this.stat(key);
  }

  async get(key, range) {
    return Readable.from([await this.read(key, range)]);
  }

  async read(key, { start = 0, end = Infinity } = {}) {
    const found = this.#objects.get(key);
    if (found === undefined) throw new AditError('NOT_FOUND', `There is no object ${key}.`);
    return found.subarray(start, end + 1);
  }

  async stat(key) {
    const found = this.#objects.get(key);
    return found === undefined ? null : { key, size: found.length, modified: new Date() };
  }

  async *list(prefix) {
    for (const key of [...this.#objects.keys()].sort()) if (key.startsWith(prefix)) yield this.stat(key);
  }

  async delete(key) {
    this.#objects.delete(key);
    return true;
  }

  // Packs are not simulated, so nothing is there; a search of all keys would cost more than everything else.
  async deletePrefix() {
    return true;
  }

  async ping() {}
}
