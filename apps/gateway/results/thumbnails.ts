import { nullIfGone } from '@adit/contracts';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';

/** Enough to hide the latency of a store, few enough not to be a burst. */
const CONCURRENCY = 16;

/** Pictures of a page, read from the store when the page is. */
@Injectable()
export class Thumbnails {
  constructor(@Inject(OBJECT_STORE) private readonly objects: ObjectStore) {}

  /** Base64 JPEG by object key; a picture that is gone is left out. */
  async read(keys: string[]): Promise<Map<string, string>> {
    const pictures = new Map<string, string>();
    const waiting = [...new Set(keys)];
    const readOne = async (): Promise<void> => {
      for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
        const jpeg = await this.objects.read(key).catch(nullIfGone);
        if (jpeg !== null) pictures.set(key, jpeg.toString('base64'));
      }
    };
    await Promise.all(Array.from({ length: Math.min(CONCURRENCY, waiting.length) }, readOne));
    return pictures;
  }
}
