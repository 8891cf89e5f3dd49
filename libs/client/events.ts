import type { ApiClient } from './api-client.js';
import { AditApiError, AditConnectionError } from './errors.js';
import { eventBlocks } from './event-text.js';
import { sleep } from './transport.js';

/** An event of the workspace: `event` and `data` are those that a webhook would receive. */
export interface WorkspaceEvent {
  /** Give the last one as `after` to go on later. */
  id: string;
  event: string;
  /** Unix seconds, when it happened. */
  timestamp: number;
  data: Record<string, unknown>;
}

export interface Following {
  /** Id of the last event that was seen; without it events come from now on. */
  after?: string;
  /** Ends it. */
  signal?: AbortSignal;
  /** Told the place in the stream, also where no event was: to be kept for `after`. */
  onPlace?: (id: string) => void;
}

const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 30_000;

/**
 * Every event of the workspace once, in order, until the signal: connections that end or break are made anew and go on where they
 * ended. Throws AditApiError for what asking again does not help (412: what came after `after` is kept no more), and
 * AditConnectionError when there is no first connection.
 */
export async function* followWorkspace(
  client: ApiClient,
  { after, signal, onPlace }: Following,
): AsyncGenerator<WorkspaceEvent> {
  let last = after;
  let pause = FIRST_PAUSE_MS;
  for (let began = false; ;) {
    try {
      const { body } = await client.raw('GET /v1/events/', {
        ...(last === undefined ? {} : { headers: { 'last-event-id': last } }),
        ...(signal === undefined ? {} : { signal }),
      });
      began = true;
      pause = FIRST_PAUSE_MS;
      for await (const { id, data } of connected(body)) {
        if (id !== undefined) onPlace?.((last = id));
        if (data === undefined) continue;
        const event: Omit<WorkspaceEvent, 'id'> = JSON.parse(data);
        yield { id: last ?? '', ...event };
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!began || !mayPass(error)) throw error;
    }
    await sleep(pause, signal);
    pause = Math.min(2 * pause, MAX_PAUSE_MS);
  }
}

/** The blocks of an answer until its connection breaks, as AditConnectionError. */
async function* connected(body: Response['body']) {
  if (body === null) return;
  const blocks = eventBlocks(body)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await blocks.next().catch((error: unknown) => {
        throw new AditConnectionError('The event stream broke off.', { cause: error });
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await blocks.return(undefined);
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof AditConnectionError) return true;
  return error instanceof AditApiError && (error.status === 429 || error.status >= 500);
}
