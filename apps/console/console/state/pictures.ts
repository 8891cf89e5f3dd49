import { AditApiError } from '@adit/client';
import { dataAddress } from './data-address.js';
import type { Session } from './session.js';

/** Requests at a time: one waits while its picture is made, and a browser has six connections to a service. */
const AT_ONCE = 3;
/** Pictures that are kept: some 10 MB. */
const KEPT = 600;

/** An image of a dataset, or a file of the storage. */
export type PicturePlace = { datasetId: string; classId: string; imageId: string } | { storageId: number };

/** The same of all places of one picture. */
export function keyOf(place: PicturePlace): string {
  return 'imageId' in place ? place.imageId : String(place.storageId);
}

interface Wanted {
  place: PicturePlace;
  signal: AbortSignal;
  tell: (address: string | null) => void;
}

/** Small pictures, few at a time. What was asked for last comes first: that is what is seen now. */
export class Pictures {
  private readonly kept = new Map<string, string>();
  private waiting: Wanted[] = [];
  private running = 0;

  constructor(private readonly session: Session) {}

  /** The address of a picture; null where there is none, or nobody wants it any more. */
  load(place: PicturePlace, signal: AbortSignal): Promise<string | null> {
    const key = keyOf(place);
    const known = this.kept.get(key);
    if (known !== undefined) {
      // The one that was not seen for longest makes room.
      this.kept.delete(key);
      this.kept.set(key, known);
      return Promise.resolve(known);
    }
    return new Promise((tell) => {
      this.waiting.push({ place, signal, tell });
      void this.next();
    });
  }

  /** One that was looked at already; null for others. */
  known(place: PicturePlace): string | null {
    return this.kept.get(keyOf(place)) ?? null;
  }

  private async next(): Promise<void> {
    if (this.running >= AT_ONCE) return;
    const wanted = this.waiting.pop();
    if (wanted === undefined) return;
    if (wanted.signal.aborted) {
      wanted.tell(null);
      return this.next();
    }
    this.running += 1;
    wanted.tell(await this.read(wanted));
    this.running -= 1;
    return this.next();
  }

  private async read({ place, signal }: Wanted): Promise<string | null> {
    try {
      const { client } = this.session;
      const reply = await ('imageId' in place
        ? client.raw('GET /v1/datasets/{datasetId}/classes/{classId}/images/{imageId}/thumbnail/', {
            ...{ params: { ...place }, signal },
          })
        : client.raw('GET /v2/storage/{storageId}/thumbnail/', {
            params: { storageId: place.storageId },
            signal,
          }));
      const address = await dataAddress(new Blob([await reply.arrayBuffer()], { type: 'image/jpeg' }));
      this.kept.set(keyOf(place), address);
      const [oldest] = this.kept.keys();
      if (this.kept.size > KEPT && oldest !== undefined) this.kept.delete(oldest);
      return address;
    } catch (error) {
      if (error instanceof AditApiError) this.session.notice(error);
      return null;
    }
  }
}
