import { foldSeconds } from '../metrics.js';
import { setImmediate as nextSlice } from 'node:timers/promises';
import { AditError, imageRange, pictureIndex, type Json, type MediaFacts } from '@adit/contracts';
import type { JobModuleEntity } from '@adit/database';
import { ALL_IMAGES } from '@adit/jobs';
import {
  ModuleRegistry,
  sealState,
  unsealState,
  type Fold,
  type FoldContext,
  type FoldInput,
  type OpenSegment,
  type Segment,
  type Summary,
} from '@adit/module-kit';
import { Inject, Injectable } from '@nestjs/common';
import { FilmFrames } from './film-frames.js';
import { LiveFrames } from './live-frames.js';
import { OpenFolds } from './open-folds.js';
import { isSeen, ReadyChunks, StillAnalysed, type ReadyFold, type UnitReader } from './ready-chunks.js';
import { CHUNKS_PER_BATCH, WaitingFolds, type WaitingFold } from './waiting-folds.js';

/** Result of folding some chunks, not stored yet. */
export interface Folded {
  state: string;
  segments: Segment[];
  summaries: Summary[];
  /** Segments of a live stream that are not final, where its job's webhook asks for them. */
  open: OpenSegment[];
  chunks: number;
  closed: boolean;
}

/** Folds chunks with a module; reads only. */
@Injectable()
export class Folding {
  constructor(
    @Inject(ModuleRegistry) private readonly modules: ModuleRegistry,
    @Inject(OpenFolds) private readonly folds: OpenFolds,
    @Inject(ReadyChunks) private readonly chunks: ReadyChunks,
    @Inject(WaitingFolds) private readonly waiting: WaitingFolds,
    @Inject(FilmFrames) private readonly frames: FilmFrames,
    @Inject(LiveFrames) private readonly liveFrames: LiveFrames,
  ) {}

  /** Folds the chunks. Throws errors of the module and of reading its observations, and StillAnalysed. */
  async run({ fold: stored, chunks }: ReadyFold, read: UnitReader): Promise<Folded> {
    const { module } = stored;
    const done = foldSeconds.startTimer({ module: module.moduleId });
    const definition = this.modules.get(module.moduleId);
    const fold = await this.folds.get(module);
    const facts = stored.facts ?? { kind: 'image', format: 'jpeg', width: 1, height: 1 };
    const frameAt = definition.media.includes('audio') ? await this.frameAt(stored, facts, chunks.length) : null;
    const context: FoldContext = {
      sourceIndex: stored.sourceIndex === ALL_IMAGES ? null : stored.sourceIndex,
      facts,
      ...(stored.rate !== null && { rate: stored.rate }),
      ...(frameAt !== null && { frameAt }),
    };
    let state = await this.stateOf(fold, stored, context);
    const segments: Segment[] = [];
    const summaries: Summary[] = [];
    for (const chunk of chunks) {
      for (const input of await read(module, chunk)) {
        if (!wantsImage(module, input)) continue;
        const before = state;
        const step = await prepared(fold, () => fold.fold(before, input, { ...context, facts: input.unit.facts }));
        state = step.state;
        segments.push(...step.segments);
        summaries.push(...(step.summaries ?? []));
      }
    }
    // While a stream runs, `chunks` is null.
    const closed = stored.nextChunk + chunks.length === stored.chunks;
    const end = closed ? await prepared(fold, () => fold.close(state, context)) : { segments: [], summaries: [] };
    const isWatched = stored.announced !== null && !closed;
    const open = isWatched ? await prepared(fold, () => fold.open?.(state, context) ?? []) : [];
    done();
    return {
      state: sealState(definition, closed ? null : state),
      segments: [...segments, ...end.segments],
      summaries: [...summaries, ...end.summaries],
      open,
      chunks: chunks.length,
      closed,
    };
  }

  /** Maps times of sound to frames; null where there are none, or nobody knows them. */
  private async frameAt(
    { module: { jobId }, sourceIndex, nextChunk, live }: WaitingFold,
    facts: MediaFacts,
    count: number,
  ): Promise<((seconds: number) => number) | null> {
    if (facts.kind !== 'video') return null;
    if (live) {
      const chunks = { first: nextChunk, end: nextChunk + count };
      return this.liveFrames.of({ jobId, sourceIndex }, chunks, facts.fps.num / facts.fps.den);
    }
    const index = await this.frames.of(jobId, sourceIndex);
    return index === null ? null : (seconds) => index.shownAt(seconds);
  }

  /** Rebuilds a state that another version of the module wrote from the observations, without emitting again. */
  private async stateOf(fold: Fold<Json>, stored: WaitingFold, context: FoldContext): Promise<Json> {
    if (stored.state === null) return fold.start(context);
    const { module } = stored;
    const state = unsealState<Json>(this.modules.get(module.moduleId), stored.state);
    if (state !== null) return state;
    let rebuilt = fold.start(context);
    for (let at = 0; at < stored.nextChunk; at += CHUNKS_PER_BATCH) {
      const part = await this.waiting.passedIds(stored, at);
      // Days of a live stream are more than fit into memory at once.
      const read = this.chunks.reader();
      const chunks = new Map((await this.chunks.read(part)).map((chunk) => [chunk.id, chunk]));
      for (const id of part) {
        const chunk = chunks.get(id);
        if (chunk === undefined) throw new AditError('INTERNAL', 'Observations of a running job are missing.');
        if (!isSeen(module, chunk)) throw new StillAnalysed(id);
        for (const input of await read(module, chunk)) {
          if (!wantsImage(module, input)) continue;
          const before = rebuilt;
          const step = await prepared(fold, () => fold.fold(before, input, { ...context, facts: input.unit.facts }));
          rebuilt = step.state;
        }
      }
    }
    return rebuilt;
  }
}

/** Calls a fold after yielding to other work of the process. */
async function prepared<T>(fold: Fold<Json>, call: () => T): Promise<T> {
  await fold.prepare?.(call);
  await nextSlice();
  return call();
}

/** Maps a range to sources: of an image job it is a range of images, of a document one of its pages. */
function wantsImage({ range }: JobModuleEntity, { unit }: FoldInput): boolean {
  if (unit.kind !== 'image') return true;
  const wanted = imageRange(range, Infinity);
  const index = pictureIndex(unit);
  return wanted !== null && index >= wanted.from && index <= wanted.to;
}
