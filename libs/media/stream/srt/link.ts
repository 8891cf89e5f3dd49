import type { Socket } from 'node:dgram';

export interface Peer {
  address: string;
  port: number;
}

/** Datagrams to and from one peer; those of others are ignored. */
export class Link {
  /** Gets the peer's datagrams. */
  onDatagram: (datagram: Buffer) => void = () => undefined;
  onError: (error: Error) => void = () => undefined;
  private isOpen = true;

  /** @param isConnected whether the socket itself is bound to the peer */
  constructor(
    private readonly socket: Socket,
    readonly peer: Peer,
    private readonly isConnected: boolean,
  ) {
    socket.on('message', (datagram, { address, port }) => {
      if (this.isOpen && address === peer.address && port === peer.port) this.onDatagram(datagram);
    });
    socket.on('error', (error) => {
      if (this.isOpen) this.onError(error);
    });
  }

  /** What cannot be sent is lost, as any datagram may be. */
  send(packet: Buffer, done: () => void = () => undefined): void {
    if (!this.isOpen) return done();
    if (this.isConnected) this.socket.send(packet, done);
    else this.socket.send(packet, this.peer.port, this.peer.address, done);
  }

  /** Sends a last packet, if any, and closes the socket. Resolves when it is closed. */
  close(last: Buffer | null): Promise<void> {
    if (!this.isOpen) return Promise.resolve();
    return new Promise((resolve) => {
      const close = (): void => void this.socket.close(resolve);
      if (last === null) close();
      else this.send(last, close);
      this.isOpen = false;
    });
  }
}
