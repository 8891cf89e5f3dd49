import { createHash } from 'node:crypto';
import { nullIfGone, type PictureRef } from '@adit/contracts';
import { pictureKey } from '@adit/jobs';
import type { Segment } from '@adit/module-kit';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';

/** Copies pictures of segments to their job: results outlive the observation cache. */
@Injectable()
export class KeptPictures {
  constructor(@Inject(OBJECT_STORE) private readonly objects: ObjectStore) {}

  /** Returns the segments with references to the job's own copies; a missing picture is left out. */
  async keep(jobId: string, segments: Segment[]): Promise<Segment[]> {
    const copies = new Map<string, Promise<PictureRef | null>>();
    const copy = (picture: PictureRef): Promise<PictureRef | null> => {
      let copied = copies.get(picture.key);
      if (copied === undefined) {
        copied = this.copy(jobId, picture);
        copies.set(picture.key, copied);
      }
      return copied;
    };
    return Promise.all(
      segments.map(async (segment) => {
        const { keyFrame, teaches, ...rest } = segment;
        const thumbnail = segment.thumbnail && (await copy(segment.thumbnail));
        const picture = keyFrame && (await copy(keyFrame.picture));
        const person = teaches && (await copy(teaches.picture));
        return {
          ...{ ...rest, thumbnail, keyFrame: keyFrame && picture && { frame: keyFrame.frame, picture } },
          ...(teaches && person && { teaches: { ...teaches, picture: person } }),
        };
      }),
    );
  }

  private async copy(jobId: string, picture: PictureRef): Promise<PictureRef | null> {
    const name = createHash('sha256').update(picture.key).digest('hex').slice(0, 32);
    const key = pictureKey(jobId, `${name}.jpg`);
    const jpeg = await this.objects.read(picture.key).catch(nullIfGone);
    if (jpeg === null) return null;
    await this.objects.put(key, jpeg);
    return { ...picture, key };
  }
}
