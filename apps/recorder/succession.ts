import type { PackedFrame } from '@adit/contracts';
import type { LivePiece, SampledPictures } from '@adit/media';
import type { StreamPosition } from '@adit/streams';
import type { SpooledPiece } from './live-chunks.js';
import type { SpooledSound } from './sound-chunks.js';

/**
 * Joins the pieces of a recorder that has taken a stream over to what the one before it has stored. Until then it
 * counted frames from where the stream was when it opened it.
 */
export class Succession {
  /** Frames to add to its own numbers; null before its first piece. */
  private shift: number | null = null;

  /** @param position - of the stream when it was taken over */
  constructor(private readonly position: Pick<StreamPosition, 'frames' | 'lastUs' | 'soundUs'>) {}

  /** Returns an item without what is stored already, under the numbers that follow; null where nothing is left. */
  fit(item: SpooledPiece | SpooledSound): SpooledPiece | SpooledSound | null {
    return 'sound' in item ? this.fitSound(item) : this.fitPiece(item);
  }

  private fitSound({ sound, ...rest }: SpooledSound): SpooledSound | null {
    const startMs = Math.max(sound.interval.startMs, Math.ceil(this.position.soundUs / 1000));
    const { endMs } = sound.interval;
    return startMs < endMs ? { ...rest, sound: { ...sound, interval: { startMs, endMs } } } : null;
  }

  private fitPiece({ piece, ...rest }: SpooledPiece): SpooledPiece | null {
    const left = behind(piece, this.position.lastUs);
    if (left === null) return null;
    this.shift ??= this.position.frames - left.interval.frameStart;
    return { ...rest, piece: shifted(left, { frames: this.shift, us: 0 }) };
  }
}

/** The part of a piece from a stream time on; frames count evenly over it. */
function behind(piece: LivePiece, us: number): LivePiece | null {
  const { interval } = piece;
  if (us <= interval.ptsStart) return piece;
  if (us >= interval.ptsEnd) return null;
  const frames = interval.frameEnd - interval.frameStart;
  const gone = Math.round((frames * (us - interval.ptsStart)) / (interval.ptsEnd - interval.ptsStart));
  const frameStart = Math.min(interval.frameStart + gone, interval.frameEnd - 1);
  return {
    ...piece,
    interval: { ...interval, frameStart, ptsStart: us, seekPts: us },
    pictures: mapped(piece.pictures, ({ frames: all, jpegs }) => {
      const kept = [...all.keys()].filter((i) => (all[i]?.pts ?? 0) >= us);
      return { frames: kept.flatMap((i) => all[i] ?? []), jpegs: kept.flatMap((i) => jpegs[i] ?? []) };
    }),
  };
}

/** Returns a piece with other numbers of frames and times. */
export function shifted(piece: LivePiece, by: { frames: number; us: number }): LivePiece {
  if (by.frames === 0 && by.us === 0) return piece;
  const { frameStart, frameEnd, ptsStart, ptsEnd, seekPts } = piece.interval;
  const moved = (frame: PackedFrame): PackedFrame => {
    const pts = frame.pts + by.us;
    return { ...frame, frame: frame.frame + by.frames, pts, time: pts / 1e6 };
  };
  return {
    ...piece,
    interval: {
      ...{ frameStart: frameStart + by.frames, frameEnd: frameEnd + by.frames },
      ...{ ptsStart: ptsStart + by.us, ptsEnd: ptsEnd + by.us, seekPts: seekPts + by.us },
    },
    pictures: mapped(piece.pictures, ({ frames, jpegs }) => ({ frames: frames.map(moved), jpegs })),
  };
}

/** Changes the pictures of each spec; those that specs share stay shared. */
function mapped(
  pictures: LivePiece['pictures'],
  change: (pictures: SampledPictures) => SampledPictures,
): LivePiece['pictures'] {
  const changed = new Map([...new Set(pictures.values())].map((each) => [each, change(each)]));
  return new Map([...pictures].map(([spec, each]) => [spec, changed.get(each) ?? each]));
}
