import { AditApiError, type WorkspaceEvent } from '@adit/client';
import type { Session } from './session.js';

const RECONNECT_MS = 5_000;

export type Live = 'connecting' | 'live' | 'offline';

interface Followed {
  onEvent: (event: WorkspaceEvent) => void;
  onLive: (live: Live) => void;
  /** Some events were missed: what is shown has to be read anew. */
  onMissed: () => Promise<void>;
}

/** Follows the events of the workspace until the signal, over broken connections. */
export async function followEvents(
  session: Session,
  signal: AbortSignal,
  { onEvent, onLive, onMissed }: Followed,
): Promise<void> {
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    try {
      const onPlace = (): void => onLive('live');
      for await (const event of session.client.events({ signal, onPlace })) onEvent(event);
    } catch (error) {
      if (isOver()) return;
      session.notice(error);
      onLive('offline');
      // 412: too much was missed; all is read anew, and followed from now on.
      if (error instanceof AditApiError && error.status === 412) await onMissed().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    }
  }
}
