import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { randomOf } from '@adit/testing';

interface Faults {
  /** Shares of the datagrams, in both directions. */
  dropped: number;
  doubled: number;
  /** Sent 1 to 30 ms later than those behind them. */
  late: number;
  seed: number;
}

/** A relay on loopback that loses, doubles and swaps datagrams between one caller and a server. */
export class BadNetwork {
  passed = 0;
  dropped = 0;
  private caller: RemoteInfo | null = null;
  private readonly random: () => number;

  private constructor(
    private readonly near: Socket,
    private readonly far: Socket,
    private readonly faults: Faults,
  ) {
    this.random = randomOf(faults.seed);
    near.on('message', (datagram, from) => {
      this.caller ??= from;
      this.relay(() => far.send(datagram));
    });
    far.on('message', (datagram) => {
      const { caller } = this;
      if (caller !== null) this.relay(() => near.send(datagram, caller.port, caller.address));
    });
    for (const socket of [near, far]) socket.on('error', () => undefined);
  }

  static async before(port: number, faults: Faults): Promise<BadNetwork> {
    const [near, far] = [createSocket('udp4'), createSocket('udp4')];
    near.bind(0, '127.0.0.1');
    far.connect(port, '127.0.0.1');
    await Promise.all([once(near, 'listening'), once(far, 'connect')]);
    return new BadNetwork(near, far, faults);
  }

  get port(): number {
    return this.near.address().port;
  }

  close(): void {
    this.near.close();
    this.far.close();
  }

  private relay(send: () => void): void {
    const { dropped, doubled, late } = this.faults;
    const guarded = (): void => {
      try {
        send();
      } catch {
        // Closed meanwhile.
      }
    };
    if (this.random() < dropped) return void this.dropped++;
    this.passed++;
    if (this.random() < late) setTimeout(guarded, 1 + this.random() * 30);
    else guarded();
    if (this.random() < doubled) guarded();
  }
}
