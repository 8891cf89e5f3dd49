import { Job, type DetailedResult } from '@adit/contracts';
import type { EngineUnderTest } from './engine-under-test.js';
import type { Place, Row } from './hostile-place.js';

/** The outcome of a row. */
export interface Outcome {
  status: number;
  contentType: string;
  /** The reply as text. */
  text: string;
  /** The job as it ended, when one was made. */
  job: Job | null;
  segments: DetailedResult[];
}

const CONCURRENCY = 12;

/** Sends a row's request and waits for the end of its job. */
async function play(row: Row, engine: EngineUnderTest, place: Place): Promise<Outcome> {
  const { path = '/jobs/', body, headers, key, method = body === undefined ? 'GET' : 'POST' } = await row.ask(place);
  const reply = await fetch(`${engine.api.url}/api/v1${path}`, {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Key ${key ?? engine.key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await reply.text();
  const outcome = { status: reply.status, contentType: reply.headers.get('content-type') ?? '', text };
  const made = Job.safeParse(reply.ok && method === 'POST' ? JSON.parse(text) : null);
  if (!made.success) return { ...outcome, job: null, segments: [] };
  const job = await engine.api.ended(made.data.id);
  return { ...outcome, job, segments: await engine.api.segments(job.id) };
}

/** Plays rows several at a time, each as soon as another has ended, a photo of a neighbour's among every few; answers by row. */
export async function playAll(
  rows: readonly Row[],
  engine: EngineUnderTest,
  place: Place,
  canary: () => Promise<void>,
): Promise<Map<Row, Outcome | Error>> {
  const outcomes = new Map<Row, Outcome | Error>();
  const left = rows.entries();
  const player = async (): Promise<void> => {
    for (const [at, row] of left) {
      const neighbour = at % CONCURRENCY === 0 ? canary() : null;
      outcomes.set(row, await play(row, engine, place).catch((error: unknown) => error as Error));
      await neighbour;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, player));
  return outcomes;
}
