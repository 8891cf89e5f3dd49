import { AditError } from '@adit/contracts';
import type { ObjectStore } from '@adit/objects';
import type { OutboxRelay } from '@adit/outbox';
import { leftOf, storageQuota } from '@adit/storage';
import { addSegment, isListed, recordingPrefix, slideRecording, type ClaimedStream } from '@adit/streams';
import type { PlacedSegment } from './recorded-run.js';

/** A segment on its way to the store, under the same id however often it is tried. */
export interface SpooledSegment extends PlacedSegment {
  id: string;
  /** Wall clock of its first picture. */
  timeStart: Date;
}

export interface SegmentStoreDependencies {
  outbox: Pick<OutboxRelay, 'transaction'>;
  objects: ObjectStore;
  /** Storage quota in bytes of workspaces without one of their own; 0 is unlimited. */
  storageBytes: number;
}

/** Time for which the room of a workspace is not counted again: the sum costs more the larger the workspace is. */
const COUNTED_MILLISECONDS = 30_000;

/** The workspace may store no more. */
export class StorageFull extends Error {}
/** Somebody else has the stream, or nobody: nothing more may be recorded. */
export class RecordingOver extends Error {}

/** Stores segments of one recording, and removes those that are too old. */
export class SegmentStore {
  /** Bytes that may still be stored, as counted then. */
  private room: { left: number; at: number } | null = null;

  constructor(
    private readonly deps: SegmentStoreDependencies,
    private readonly stream: ClaimedStream,
  ) {}

  /**
   * Stores a segment and lists it. Throws StorageFull, RecordingOver, UNAVAILABLE when another try may help; safe to
   * repeat.
   */
  async store(segment: SpooledSegment, discontinuity: boolean): Promise<void> {
    const { outbox, objects } = this.deps;
    const { id, bytes, init, fromUs, durationUs, timeStart } = segment;
    const objectKey = this.keyOf(id);
    await this.makeRoom(segment);
    await objects.put(objectKey, bytes);
    try {
      const isListed = await outbox.transaction((manager) =>
        addSegment(manager, this.stream, {
          ...{ objectKey, bytes: bytes.length, fromUs, durationUs, timeStart, discontinuity, header: init },
        }),
      );
      if (!isListed) throw new RecordingOver();
    } catch (error) {
      // What could not be reached may have been committed.
      if (AditError.from(error).code !== 'UNAVAILABLE') await objects.delete(objectKey).catch(() => undefined);
      throw error;
    }
    if (this.room !== null) this.room.left -= bytes.length;
  }

  /**
   * True when an attempt of which nothing was heard has listed a segment. Otherwise its bytes are removed. To be asked once
   * the next part has begun: no attempt lists it any more.
   */
  async settle({ id }: Pick<SpooledSegment, 'id'>): Promise<boolean> {
    const objectKey = this.keyOf(id);
    const { jobId } = this.stream;
    const found = await this.deps.outbox.transaction((manager) => isListed(manager, { jobId, objectKey }));
    if (!found) await this.deps.objects.delete(objectKey).catch(() => undefined);
    return found;
  }

  private keyOf(id: string): string {
    return `${recordingPrefix(this.stream.jobId)}${id}.m4s`;
  }

  private async makeRoom({ bytes, fromUs, durationUs }: SpooledSegment): Promise<void> {
    const isDue = this.room === null || performance.now() - this.room.at > COUNTED_MILLISECONDS;
    const left = await this.deps.outbox.transaction(async (manager) => {
      if (!(await slideRecording(manager, this.stream, fromUs + durationUs))) throw new RecordingOver();
      if (!isDue) return null;
      return leftOf(await storageQuota(manager, this.stream.workspaceId, 'recordings', this.deps.storageBytes));
    });
    if (left !== null) this.room = { left, at: performance.now() };
    if ((this.room?.left ?? Infinity) >= bytes.length) return;
    // A smaller one may fit: a recording in shreds is of no use.
    this.room = { left: 0, at: performance.now() };
    throw new StorageFull();
  }
}
