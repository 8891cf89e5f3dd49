import { AditError } from '@adit/contracts';
import type { DictionaryStore } from '@adit/dictionaries';
import type { BatchCommands, JobCommands, JobSettings } from '@adit/jobs';
import type { ModelStore } from '@adit/model-store';
import type { ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import type { DataSource } from 'typeorm';
import { removedRows } from './metrics.js';

const log = createLogger('sweeper');
/** Rows of one kind that one query selects. */
export const BATCH_SIZE = 500;

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
