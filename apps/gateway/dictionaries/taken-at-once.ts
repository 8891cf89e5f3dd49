import { AditError } from '@adit/contracts';

/** Dictionaries of one workspace that are read at the same time: each lies in memory whole. */
export const MOST_AT_ONCE = 4;

/** How many dictionaries this process takes from each workspace at the moment. */
export class TakenAtOnce {
  private readonly counts = new Map<string, number>();

  /** Throws RATE_LIMITED when as many are being taken already. */
  async run<T>(workspaceId: string, work: () => Promise<T>): Promise<T> {
    const count = this.counts.get(workspaceId) ?? 0;
    if (count >= MOST_AT_ONCE) {
      const message = `At most ${MOST_AT_ONCE} dictionaries of a workspace are taken at the same time; try again in a second.`;
      throw new AditError('RATE_LIMITED', message, { retryAfterSeconds: 1 });
    }
    this.counts.set(workspaceId, count + 1);
    try {
      return await work();
    } finally {
      const left = (this.counts.get(workspaceId) ?? 1) - 1;
      if (left > 0) this.counts.set(workspaceId, left);
      else this.counts.delete(workspaceId);
    }
  }
}
