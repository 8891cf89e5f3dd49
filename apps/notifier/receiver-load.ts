import type { Answer } from '@adit/webhooks';

/** Missing answers in a row after which a receiver gets one attempt at a time. */
const SILENT_AFTER = 3;

interface Receiver {
  inFlight: number;
  /** Attempts in a row without any answer. */
  silent: number;
}

/**
 * Limits concurrent attempts per receiver. One that does not answer holds its sockets for the whole time-out; it gets
 * a single attempt until it answers again, so that many dead receivers leave capacity for the others.
 */
export class ReceiverLoad {
  private readonly receivers = new Map<string, Receiver>();

  constructor(private readonly perReceiver: number) {}

  begin(receiver: string): void {
    const known = this.receivers.get(receiver);
    if (known === undefined) this.receivers.set(receiver, { inFlight: 1, silent: 0 });
    else known.inFlight++;
  }

  end(receiver: string, answer: Pick<Answer, 'reason'>): void {
    const known = this.receivers.get(receiver);
    if (known === undefined) return;
    known.inFlight--;
    known.silent = answer.reason === 'timeout' ? known.silent + 1 : 0;
    if (known.inFlight === 0 && known.silent === 0) this.receivers.delete(receiver);
  }

  /** Receivers with less than the usual limit, with what is left for each. */
  rooms(): Map<string, number> {
    return new Map(
      [...this.receivers].map(([receiver, { inFlight, silent }]) => {
        const most = silent >= SILENT_AFTER ? 1 : this.perReceiver;
        return [receiver, Math.max(0, most - inFlight)];
      }),
    );
  }
}
