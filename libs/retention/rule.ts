import { AditError } from '@adit/contracts';
import type { DictionaryStore } from '@adit/dictionaries';
import type { BatchCommands, EndedJobRow, JobCommands, JobSettings } from '@adit/jobs';
import type { ModelStore } from '@adit/model-store';
import type { ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import type { FacePosition } from '@adit/search';
import type { UploadPosition } from '@adit/storage';
import type { DataSource } from 'typeorm';
import { removedRows } from './metrics.js';

const log = createLogger('sweeper');
/** Rows of one kind that one query selects. */
export const BATCH_SIZE = 500;
/** Time that a rule which goes through many rows may take of one pass. */
const RULE_MILLISECONDS = 30_000;

/** Context of rules during one pass. */
export interface RetentionPass {
  /** Time of the database, or of a spec. */
  now: Date;
  db: DataSource;
  objects: ObjectStore;
  jobs: JobCommands;
  batches: BatchCommands;
  dictionaries: DictionaryStore;
  models: ModelStore;
  settings: Pick<JobSettings, 'eventHours' | 'eventsKept'>;
  /** Where rules over kinds that are found by their age go on, by workspace: they do not meet what is kept in each pass. */
  walks: {
    results: Walks<EndedJobRow>;
    recordings: Walks<EndedJobRow>;
    uploads: Walks<UploadPosition>;
    faces: Walks<FacePosition>;
  };
  /** Called before each part of long work: false once the process ends or another one sweeps. */
  shouldContinue(): Promise<boolean>;
}

/** Rule of one kind of rows or objects that expire. */
export interface RetentionRule {
  /** Name of the kind, in logs and as the label of `adit_swept_total`. */
  kind: string;
  /** Removes what is due. Throws UNAVAILABLE when a server is unavailable; logs other errors and goes on. */
  apply(pass: RetentionPass): Promise<void>;
}

/** Rows that are selected in batches and removed one by one. */
export interface RowRule<T> extends RetentionRule {
  /** Returns at most BATCH_SIZE rows that are due. */
  find(pass: RetentionPass): Promise<T[]>;
  remove(row: T, pass: RetentionPass): Promise<unknown>;
}

/** Makes a rule over rows: a row that cannot be removed does not hold back the others. */
export function rowRule<T>({ kind, find, remove }: Omit<RowRule<T>, 'apply'>): RowRule<T> {
  return {
    kind,
    find,
    remove,
    async apply(pass) {
      for (;;) {
        const found = await find(pass);
        let removed = 0;
        for (const row of found) {
          if (!(await pass.shouldContinue())) return;
          if (await hasRemoved(kind, () => remove(row, pass))) removed += 1;
        }
        removedRows.inc({ kind }, removed);
        if (found.length < BATCH_SIZE || removed === 0) return;
      }
    },
  };
}

/** Makes a rule over rows that are removed together: `work` removes at most BATCH_SIZE and returns their number. */
export function batchRule(kind: string, work: (pass: RetentionPass) => Promise<number>): RetentionRule {
  return {
    kind,
    async apply(pass) {
      let removed = 0;
      do {
        if (!(await pass.shouldContinue())) return;
        removed = 0;
        await hasRemoved(kind, async () => void (removed = await work(pass)));
        removedRows.inc({ kind }, removed);
      } while (removed > 0);
    },
  };
}

/** Makes a rule that goes through what is due once a pass: `step` removes some, and says where to go on; null at the end. */
export function pagedRule<P>(
  kind: string,
  step: (pass: RetentionPass, after: P | null) => Promise<{ removed: number; after: P | null }>,
): RetentionRule {
  return {
    kind,
    async apply(pass) {
      let after: P | null = null;
      do {
        if (!(await pass.shouldContinue())) return;
        const from: P | null = after;
        let done: { removed: number; after: P | null } = { removed: 0, after: null };
        await hasRemoved(kind, async () => void (done = await step(pass, from)));
        removedRows.inc({ kind }, done.removed);
        after = done.after;
      } while (after !== null);
    },
  };
}

/** Time after which a walk begins anew: what was kept may be free by then. */
const WALK_MILLISECONDS = 3_600_000;

/** Where the walk of a workspace goes on, and what it depends on: another basis begins another. */
export type Walks<P> = Map<string, { basis: string; time: number; after: P | null }>;

/**
 * Goes through what is due of a workspace by `step`, which returns the position behind what it has seen, and whether there
 * may be more; null: the pass is over. Later passes go on there, so that what is kept is looked at once an hour.
 */
export async function walkOn<P>(
  walks: Walks<P>,
  { workspaceId, basis, now }: { workspaceId: string; basis: string; now: Date },
  step: (after: P | null) => Promise<{ after: P | null; more: boolean } | null>,
): Promise<void> {
  const former = walks.get(workspaceId);
  const goesOn = former?.basis === basis && now.getTime() - former.time < WALK_MILLISECONDS;
  const time = goesOn ? former.time : now.getTime();
  let after = goesOn ? former.after : null;
  for (let more = true; more;) {
    const seen = await step(after);
    if (seen === null) return;
    ({ after, more } = seen);
    walks.set(workspaceId, { basis, time, after });
  }
}

/** A pass that ends soon, so that a rule with much to do does not keep the others waiting: the next pass goes on. */
export function timeLimited(pass: RetentionPass): RetentionPass {
  const end = performance.now() + RULE_MILLISECONDS;
  return { ...pass, shouldContinue: async () => performance.now() < end && (await pass.shouldContinue()) };
}

/** Makes a rule that a store carries out itself. */
export function storeRule(kind: string, work: (pass: RetentionPass) => Promise<unknown>): RetentionRule {
  return { kind, apply: async (pass) => void (await hasRemoved(kind, () => work(pass))) };
}

/** Returns true when the work succeeded. Throws UNAVAILABLE; other errors are logged, as the next pass tries again. */
export async function hasRemoved(kind: string, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    const { code } = AditError.from(error);
    if (code === 'UNAVAILABLE') throw error;
    // Another process has removed it.
    if (code !== 'NOT_FOUND')
      log.warn({ kind, err: error }, 'an expired row could not be removed; the next run tries again');
    return false;
  }
}
