const WAITING = 'SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))';

/**
 * Resolves within a transaction when another session waits for what it holds, or when `isOver` says that the other has ended; whether
 * it waits. On a server: in an embedded database there is no other session.
 */
export async function isWaitedFor(
  transaction: { query(sql: string): Promise<unknown[]> },
  isOver: () => boolean,
): Promise<boolean> {
  for (;;) {
    const waiting = await transaction.query(WAITING);
    if (waiting.length > 0) return true;
    if (isOver()) return false;
  }
}
