import { createLogger } from '@adit/runtime';
import type { SpooledPiece } from './live-chunks.js';
import { leftOut, soundLeftOut } from './metrics.js';
import type { SpooledSound } from './sound-chunks.js';
import { Spool } from './spool.js';

const log = createLogger('recorder');

export type SpooledItem = SpooledPiece | SpooledSound;
type Kind = 'pictures' | 'sound';

/** Why what was dropped is missing. */
const LATE = {
  pictures: 'Pictures could not be stored in time.',
  sound: 'it could not be stored in time.',
} as const satisfies Record<Kind, string>;

/**
 * What was read of one stream and waits to be stored, pictures and sound in one row. Where parts were dropped, the one
 * behind them names the reason: those before them may still wait.
 */
export class LiveSpool {
  private readonly spool: Spool<SpooledItem>;
  /** Kinds of which all that waited was dropped. */
  private readonly open = new Set<Kind>();

  constructor(
    maxBytes: number,
    private readonly jobId: string,
  ) {
    this.spool = new Spool(maxBytes);
  }

  /** Adds an item of so many bytes, which never waits; the oldest go for it. */
  push(item: SpooledItem, bytes: number): void {
    const kind = kindOf(item);
    if (this.open.delete(kind)) item.reason = LATE[kind];
    const dropped = this.spool.push(item, bytes);
    if (dropped.length === 0) return;
    for (const each of dropped) count(each);
    for (const lost of new Set(dropped.map(kindOf))) {
      const next = this.spool.waiting().find((each) => kindOf(each) === lost);
      if (next === undefined) this.open.add(lost);
      else next.reason = LATE[lost];
    }
    const { jobId } = this;
    log.warn({ jobId, dropped: dropped.length }, 'parts of a live stream were left out: they could not be stored');
  }

  /** No more items follow. */
  end(): void {
    this.spool.end();
  }

  /** Yields items in order until the end. */
  [Symbol.asyncIterator](): AsyncGenerator<SpooledItem> {
    return this.spool[Symbol.asyncIterator]();
  }
}

function kindOf(item: SpooledItem): Kind {
  return 'sound' in item ? 'sound' : 'pictures';
}

function count(item: SpooledItem): void {
  if ('sound' in item) {
    const { startMs, endMs } = item.sound.interval;
    soundLeftOut.inc({ reason: 'storage' }, (endMs - startMs) / 1000);
  } else leftOut.inc({ reason: 'storage' });
}
