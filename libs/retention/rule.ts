import { AditError } from '@adit/contracts';
import type { DictionaryStore } from '@adit/dictionaries';
import type { BatchCommands, EndedJobRow, JobCommands, JobSettings } from '@adit/jobs';
import type { ModelStore } from '@adit/model-store';
import type { ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
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
  /** Held tags of workspaces whose held jobs were put off, when, and up to which job; null: all of them. */
  putOff: Map<string, { tags: string; time: number; after: EndedJobRow | null }>;
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
