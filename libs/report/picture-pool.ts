import { createHash } from 'node:crypto';

/** Pictures of a report, each kept once however many segments show it, within a budget of JPEG bytes. */
export class PicturePool {
  readonly #ids = new Map<string, number>();
  readonly #pictures: Buffer[] = [];
  #bytes = 0;

  constructor(private readonly budget: number) {}

  /** The picture's number in `pictures()`, or null when the budget has no room for it. */
  add(jpeg: Uint8Array): number | null {
    const digest = createHash('sha1').update(jpeg).digest('base64');
    const known = this.#ids.get(digest);
    if (known !== undefined) return known;
    if (this.#bytes + jpeg.byteLength > this.budget) return null;
    this.#bytes += jpeg.byteLength;
    const id = this.#pictures.push(Buffer.from(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength)) - 1;
    this.#ids.set(digest, id);
    return id;
  }

  /** JPEGs by number. */
  pictures(): readonly Buffer[] {
    return this.#pictures;
  }
}
