import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Lease, keepingLease } from './lease.js';
import { ANALYSES, REPORTS } from './leased-tables.js';

const SECONDS = 60;
const held = { rows: REPORTS, key: { id: 'r' }, attempt: 1, token: 0 };
const analysis = { rows: ANALYSES, key: { chunk_id: 'c', digest: 'd' }, attempt: 1, token: 1 };

describe('the lease of an attempt', () => {
  /** Result of an UPDATE in PostgreSQL. */
  type Answer = [{ attempt: number; token: number }[], number];
  const renewed: Answer = [[{ attempt: 1, token: 0 }], 1];
  const overtaken: Answer = [[], 0];
  /** Statements that the database has not answered yet. */
  const asked: { values: unknown[]; answer: (answer: Answer) => void; fail: (error: Error) => void }[] = [];
  const db = {
    query: (_sql: string, values: unknown[] = []) =>
      new Promise<Answer>((answer, fail) => asked.push({ values, answer, fail })),
  } as ConstructorParameters<typeof Lease>[0];
  const said = async (answer: Answer) => {
    asked.at(-1)?.answer(answer);
    await jest.advanceTimersByTimeAsync(0);
  };

  beforeEach(() => {
    asked.splice(0);
    jest.useFakeTimers();
  });
  afterEach(() => void jest.useRealTimers());

  it('is renewed whenever a third of it has passed, until the attempt ends', async () => {
    const lease = new Lease(db, held, { seconds: SECONDS, kind: 'report' });
    jest.advanceTimersByTime(19_999);
    expect(asked).toHaveLength(0);
    jest.advanceTimersByTime(1);
    expect(asked).toHaveLength(1);
    await said(renewed);
    jest.advanceTimersByTime(20_000);
    expect(asked).toHaveLength(2);
    expect([lease.signal.aborted, lease.lost]).toEqual([false, false]);
    lease.end();
    jest.advanceTimersByTime(60_000);
    expect(asked).toHaveLength(2);
  });

  it('aborts the work when another attempt has taken it, but not when the database is unavailable', async () => {
    const lease = new Lease(db, held, { seconds: SECONDS, kind: 'report' });
    jest.advanceTimersByTime(20_000);
    asked[0]?.fail(new Error('away'));
    await jest.advanceTimersByTimeAsync(0);
    expect([lease.signal.aborted, lease.lost]).toEqual([false, false]);
    jest.advanceTimersByTime(20_000);
    await said(overtaken);
    expect([lease.signal.aborted, lease.lost]).toEqual([true, true]);
    expect(lease.signal.reason).toMatchObject({ code: 'CONFLICT' });
    lease.end();
  });

  it('is not lost by an attempt that ends with the process, also before it begins', async () => {
    const closing = new AbortController();
    const lease = new Lease(db, held, { seconds: SECONDS, kind: 'report', signal: closing.signal });
    jest.advanceTimersByTime(20_000);
    closing.abort(new Error('closing'));
    await said(overtaken);
    expect([lease.signal.aborted, lease.lost]).toEqual([true, false]);
    expect(lease.signal.reason).toBe(closing.signal.reason);
    lease.end();
    const late = new Lease(db, held, { seconds: SECONDS, kind: 'report', signal: closing.signal });
    expect(late.signal.reason).toBe(closing.signal.reason);
    late.end();
  });

  it('follows the process no longer than the attempt lasts', async () => {
    const closing = new AbortController();
    const signals: AbortSignal[] = [];
    await keepingLease(db, held, { seconds: SECONDS, kind: 'report', signal: closing.signal }, async ({ signal }) => {
      signals.push(signal);
    });
    closing.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    jest.advanceTimersByTime(60_000);
    expect(asked).toHaveLength(0);
  });

  it('writes progress once a second where there is some, and queries a slow database only once', async () => {
    let done = 0;
    const lease = new Lease(db, analysis, { seconds: SECONDS, kind: 'analysis', progress: () => done });
    jest.advanceTimersByTime(5_000);
    expect(asked).toHaveLength(0);
    done = 0.25;
    jest.advanceTimersByTime(3_000);
    expect(asked.map(({ values }) => values.slice(0, 2))).toEqual([[SECONDS, 0.25]]);
    done = 0.5;
    jest.advanceTimersByTime(3_000);
    expect(asked).toHaveLength(1);
    await said(renewed);
    jest.advanceTimersByTime(1_000);
    await said(renewed);
    jest.advanceTimersByTime(3_000);
    expect(asked.map(({ values }) => values[1])).toEqual([0.25, 0.5]);
    lease.end();
  });
});
