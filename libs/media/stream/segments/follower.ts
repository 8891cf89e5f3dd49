import { isSameResource, timeAfter, type MediaPlaylist, type Segment } from './media-playlist.js';

/** Segments from the end that reading begins at. */
const START_FROM_END = 3;
/** Caches may answer with a playlist that is a little older than the last one. */
const STALE_SEGMENTS = 3;
const MAX_REASONS = 4;

export interface NextSegment {
  segment: Segment;
  /** Media does not go on from the segment before. */
  begins: boolean;
  /** What was lost before it; null where nothing was, and for the first. */
  gap: string | null;
}

/**
 * Says which segment of a live playlist is read next, each once and in order. It knows nothing of networks and clocks:
 * playlists go in by `update`, segments come out by `next`, and `took` or `missed` says what became of each.
 */
export class Follower {
  private playlist: MediaPlaylist | null = null;
  /** Number of the segment that is read next; null before the first playlist that has any. */
  private at: number | null = null;
  private last: Segment | null = null;
  /** Reasons of what was lost since the last segment, with how much of it. */
  private readonly lost = new Map<string, { segments: number; seconds: number }>();
  private hasRestarted = false;

  /** The stream has ended and all its segments were handed out. */
  get isOver(): boolean {
    return this.playlist !== null && this.playlist.hasEnded && this.segmentAt() === null;
  }

  /** Takes a newly fetched playlist; returns whether there is anything new to read. */
  update(playlist: MediaPlaylist): boolean {
    const { segments, firstNumber } = playlist;
    if (segments.length === 0) {
      if (playlist.hasEnded) [this.playlist, this.at] = [playlist, firstNumber];
      return false;
    }
    const end = firstNumber + segments.length;
    if (this.at !== null && end < this.at) {
      if (!this.isRestart(playlist, end)) {
        // Segments that were expected never came.
        if (playlist.hasEnded) this.playlist = playlist;
        return false;
      }
      this.hasRestarted = true;
      this.at = null;
    }
    this.playlist = playlist;
    this.at ??= Math.max(firstNumber, end - (playlist.startFromEnd ?? START_FROM_END));
    return this.segmentAt() !== null;
  }

  /** The next segment; null where another playlist has to be awaited. */
  next(): NextSegment | null {
    for (let segment = this.segmentAt(); segment !== null; segment = this.segmentAt()) {
      if (segment.isGap) {
        this.missed(segment, 'marked as gaps by the server');
        continue;
      }
      const { last } = this;
      const begins =
        last === null ||
        this.hasRestarted ||
        this.lost.size > 0 ||
        segment.isDiscontinuous ||
        !isSameResource(segment.map, last.map);
      return { segment: this.dated(segment), begins, gap: last === null ? null : this.gapText() };
    }
    return null;
  }

  /** The segment was read. */
  took(segment: Segment): void {
    this.last = segment;
    this.pass(segment);
    this.lost.clear();
    this.hasRestarted = false;
  }

  /** The segment is lost for this reason. */
  missed(segment: Segment, reason: string): void {
    this.lose(reason, 1, segment.seconds);
    this.pass(segment);
  }

  /** Always goes on: a playlist whose numbers contradict its order would be read for ever. */
  private pass({ number }: Segment): void {
    this.at = Math.max(number, this.at ?? 0) + 1;
  }

  private segmentAt(): Segment | null {
    if (this.playlist === null || this.at === null) return null;
    const { segments, firstNumber, targetSeconds } = this.playlist;
    if (this.at < firstNumber) {
      const gone = firstNumber - this.at;
      this.lose('no longer listed when their turn came', gone, gone * targetSeconds);
      this.at = firstNumber;
    }
    return segments[this.at - firstNumber] ?? null;
  }

  /** Tells a stream that began to count anew from a cache that answers with an older playlist. */
  private isRestart({ segments }: MediaPlaylist, end: number): boolean {
    const newest = segments.at(-1);
    if (newest === undefined || this.at === null) return false;
    const isNewer =
      newest.statedTime !== null &&
      this.last !== null &&
      this.last.statedTime !== null &&
      newest.statedTime > this.last.statedTime + 500;
    return isNewer || end < this.at - STALE_SEGMENTS;
  }

  /** The time that the playlist states may have slid out of it, but go on from the segment before. */
  private dated(segment: Segment): Segment {
    const { last } = this;
    const follows = last !== null && !this.hasRestarted && segment.number === last.number + 1;
    if (segment.statedTime !== null || !follows || segment.isDiscontinuous) return segment;
    return { ...segment, statedTime: timeAfter(last) };
  }

  private lose(reason: string, segments: number, seconds: number): void {
    const known = this.lost.get(reason);
    if (known === undefined && this.lost.size === MAX_REASONS) return;
    this.lost.set(reason, {
      segments: (known?.segments ?? 0) + segments,
      seconds: (known?.seconds ?? 0) + seconds,
    });
  }

  private gapText(): string | null {
    const parts = [...this.lost].map(
      ([reason, { segments, seconds }]) =>
        `${reason}: ${segments} ${segments === 1 ? 'segment' : 'segments'} (about ${Math.round(seconds)} s)`,
    );
    if (this.hasRestarted) parts.push('the stream restarted');
    return parts.length === 0 ? null : parts.join('; ');
  }
}
