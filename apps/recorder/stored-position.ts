import type { ClaimedStream } from '@adit/streams';
import type { EntityManager } from 'typeorm';

/** The stream is over: its job ended, or another recorder has it. */
export class StreamOver extends Error {
  constructor() {
    super('the stream is read no more');
  }
}

/** True when an attempt whose end was not heard of has stored the chunk of that position. */
export async function isStored(manager: EntityManager, { key, token }: ClaimedStream, next: number): Promise<boolean> {
  // Further positions of another recorder's claim are not ours.
  const rows: unknown[] = await manager.query(
    'SELECT 1 FROM streams WHERE id = $1 AND next_position > $2 AND fencing_token = $3',
    [key.id, next, token],
  );
  return rows.length > 0;
}
