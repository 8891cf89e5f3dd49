import { foldSeconds } from '../metrics.js';
import { setImmediate as nextSlice } from 'node:timers/promises';
import { AditError, imageRange, pictureIndex, type Json } from '@adit/contracts';
import type { JobModuleEntity } from '@adit/database';
import { ALL_IMAGES } from '@adit/jobs';
import {
  ModuleRegistry,
  sealState,
  unsealState,
  type Fold,
  type FoldContext,
  type FoldInput,
  type Segment,
  type Summary,
} from '@adit/module-kit';
import { Inject, Injectable } from '@nestjs/common';
import { FilmFrames } from './film-frames.js';
import { OpenFolds } from './open-folds.js';
import { isSeen, ReadyChunks, StillAnalysed, type ReadyFold, type UnitReader } from './ready-chunks.js';
import { CHUNKS_PER_BATCH, WaitingFolds, type WaitingFold } from './waiting-folds.js';

/** Result of folding some chunks, not stored yet. */
export interface Folded {
  state: string;
  segments: Segment[];
  summaries: Summary[];
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
  ) {}

  /** Folds the chunks. Throws errors of the module and of reading its observations, and StillAnalysed. */
  async run({ fold: stored, chunks }: ReadyFold, read: UnitReader): Promise<Folded> {
    const { module } = stored;
    const done = foldSeconds.startTimer({ module: module.moduleId });
    const definition = this.modules.get(module.moduleId);
    const fold = await this.folds.get(module);
    const facts = stored.facts ?? { kind: 'image', format: 'jpeg', width: 1, height: 1 };
    const listens = facts.kind === 'video' && definition.media.includes('audio');
    const index = listens ? await this.frames.of(module.jobId, stored.sourceIndex) : null;
    const context: FoldContext = {
      sourceIndex: stored.sourceIndex === ALL_IMAGES ? null : stored.sourceIndex,
      facts,
      ...(stored.rate !== null && { rate: stored.rate }),
      ...(index !== null && { frameAt: (seconds: number) => index.shownAt(seconds) }),
    };
    let state = await this.stateOf(fold, stored, context, read);
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
    const closed = stored.nextChunk + chunks.length === stored.chunks;
    const end = closed ? await prepared(fold, () => fold.close(state, context)) : { segments: [], summaries: [] };
    done();
    return {
      state: sealState(definition, closed ? null : state),
      segments: [...segments, ...end.segments],
      summaries: [...summaries, ...end.summaries],
      chunks: chunks.length,
      closed,
    };
  }

  /** Rebuilds a state that another version of the module wrote from the observations, without emitting again. */
  private async stateOf(fold: Fold<Json>, stored: WaitingFold, context: FoldContext, read: UnitReader): Promise<Json> {
    if (stored.state === null) return fold.start(context);
    const { module } = stored;
    const state = unsealState<Json>(this.modules.get(module.moduleId), stored.state);
    if (state !== null) return state;
    let rebuilt = fold.start(context);
    const ids = await this.waiting.firstIds(stored);
    for (let at = 0; at < ids.length; at += CHUNKS_PER_BATCH) {
      const part = ids.slice(at, at + CHUNKS_PER_BATCH);
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
