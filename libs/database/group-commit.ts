import { AsyncResource } from 'node:async_hooks';
import { AditError } from '@adit/contracts';
import type { DataSource } from 'typeorm';
import { toAditError } from './errors.js';
import { inStatement, refuseInside } from './transaction.js';

/** Limits of one statement, so that it delays those behind it little. */
const MAX_ROWS = 100;
const MAX_CHARACTERS = 1 << 20;

/** A row: its id, and its JSON. */
interface GroupedRow {
  id: string;
  text: string;
}

interface Waiting<Made> {
  row: GroupedRow;
  resolve: (made: Made) => void;
  reject: (error: unknown) => void;
}

/**
 * Group commit: rows that come while others are being written are written together by the next statement. So many
 * callers share one round trip to the server and one flush of its log, and a single row waits for nothing. Each
 * caller gets the result of its own row, only after the commit. When the server refuses a group, its rows are written
 * one by one, so that a faulty one fails alone.
 */
export class GroupCommit<Made extends { id: string }> {
  private readonly scope = new AsyncResource('GroupCommit');
  private waiting: Waiting<Made>[] = [];
  private writing = false;

  /**
   * @param sql a transaction of its own (see `inStatement`) whose parameter is a JSON list; it answers with a row per element.
   * @param committed called after each commit.
   */
  constructor(
    private readonly dataSource: DataSource,
    private readonly sql: string,
    private readonly committed: () => void,
  ) {}

  /** Resolves when the row is committed; throws what `inStatement` throws for it. */
  write(row: GroupedRow): Promise<Made> {
    refuseInside(this.dataSource, 'start a transaction');
    return new Promise((resolve, reject) => {
      this.waiting.push({ row, resolve, reject });
      if (this.writing) return;
      this.writing = true;
      // The context of the first caller is left.
      void this.scope.runInAsyncScope(() => this.writeAll());
    });
  }

  /** Never rejects. */
  private async writeAll(): Promise<void> {
    // Rows of one iteration of the event loop go together.
    await new Promise(setImmediate);
    while (this.waiting.length > 0) {
      const [group = []] = groupsOf(this.waiting, ({ row }) => row.text);
      this.waiting = this.waiting.slice(group.length);
      await this.writeGroup(group);
    }
    this.writing = false;
  }

  private async writeGroup(group: Waiting<Made>[]): Promise<void> {
    try {
      const made = await inStatement<Made>(this.dataSource, this.sql, [listOf(group.map(({ row }) => row.text))]);
      this.committed();
      const byId = new Map(made.map((each) => [each.id, each]));
      for (const { row, resolve, reject } of group) {
        const own = byId.get(row.id);
        if (own === undefined) reject(new AditError('INTERNAL', `The statement did not answer for the row ${row.id}.`));
        else resolve(own);
      }
    } catch (error) {
      // When the database itself fails, no row is at fault, and each alone would wait as long again.
      const blameless = toAditError(error).code === 'UNAVAILABLE';
      if (blameless || group.length === 1) for (const { reject } of group) reject(error);
      else for (const each of group) await this.writeGroup([each]);
    }
  }
}

/** Splits the list into groups of one statement. */
export function groupsOf<T>(list: readonly T[], textOf: (one: T) => string): T[][] {
  const groups: T[][] = [];
  let characters = Infinity;
  for (const one of list) {
    const { length } = textOf(one);
    const last = groups.at(-1);
    if (last === undefined || last.length === MAX_ROWS || characters + length > MAX_CHARACTERS) {
      groups.push([one]);
      characters = length;
    } else {
      last.push(one);
      characters += length;
    }
  }
  return groups;
}

/** JSON texts as one JSON list. */
export function listOf(texts: readonly string[]): string {
  return `[${texts.join(',')}]`;
}
