import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { AditError, errorCode } from '@adit/contracts';
import { Reorder } from './reorder.js';

/** Range of our ports, outside of what the system gives to other connections. */
const PORTS = { first: 20_000, last: 32_000 };
const PORT_TRIES = 50;
/** A key frame of 4K comes as hundreds of datagrams at once. */
const RECEIVE_BYTES = 4 << 20;

/** Where a track's datagrams come from and go to. */
interface DatagramEnds {
  /** Our address, that of the connection beside which they travel. */
  local: string;
  /** The only address they are taken from. */
  peer: string;
}

/** The two UDP sockets of a track: RTP on an even port, RTCP on the next one. */
export class Datagrams {
  private readonly reorder: Reorder;
  private remote: readonly [rtp: number, rtcp: number] | null = null;

  private constructor(
    private readonly rtp: Socket,
    private readonly rtcp: Socket,
    /** Port of `rtp`; that of `rtcp` is the next one. */
    readonly port: number,
    private readonly peer: string,
    onPacket: (isControl: boolean, payload: Buffer) => void,
  ) {
    this.reorder = new Reorder((packet) => onPacket(false, packet));
    rtp.on('message', (payload, { address }) => {
      if (isFrom(address, peer) && payload.length >= 12 && isVersion2(payload)) this.reorder.add(payload);
    });
    rtcp.on('message', (payload, { address }) => {
      if (isFrom(address, peer) && payload.length >= 4 && isVersion2(payload)) onPacket(true, payload);
    });
    // A peer that is gone answers with errors; silence is noticed elsewhere.
    for (const socket of [rtp, rtcp]) socket.on('error', () => undefined);
  }

  static async open(ends: DatagramEnds, onPacket: (isControl: boolean, payload: Buffer) => void): Promise<Datagrams> {
    for (let tries = 0; tries < PORT_TRIES; tries++) {
      const port = randomInt(PORTS.first / 2, PORTS.last / 2) * 2;
      const rtp = await bound(ends.local, port);
      const rtcp = rtp && (await bound(ends.local, port + 1));
      if (rtp !== null && rtcp !== null) return new Datagrams(rtp, rtcp, port, ends.peer, onPacket);
      rtp?.close();
    }
    throw new AditError('UNAVAILABLE', 'No two UDP ports are free for a stream.');
  }

  /** Sets the ports of the other end and opens the way from there through a firewall on our side. */
  reach(ports: readonly [rtp: number, rtcp: number]): void {
    this.remote = ports;
    // An empty RTP packet and an empty receiver report.
    const empty = Buffer.alloc(12);
    empty[0] = 0x80;
    this.rtp.send(empty, ports[0], this.peer, () => undefined);
    this.send(Buffer.from([0x80, 0xc9, 0, 1, 0, 0, 0, 0]));
  }

  /** Sends a report. */
  send(report: Buffer): void {
    if (this.remote !== null) this.rtcp.send(report, this.remote[1], this.peer, () => undefined);
  }

  close(): void {
    this.reorder.close();
    this.rtp.close();
    this.rtcp.close();
  }
}

async function bound(address: string, port: number): Promise<Socket | null> {
  const socket = createSocket({ type: isIPv6(address) ? 'udp6' : 'udp4', recvBufferSize: RECEIVE_BYTES });
  try {
    const listening = once(socket, 'listening');
    socket.bind({ address, port, exclusive: true });
    await listening;
    return socket;
  } catch (error) {
    socket.close();
    if (errorCode(error) === 'EADDRINUSE') return null;
    throw error;
  }
}

function isFrom(address: string, peer: string): boolean {
  return address.replace(/^::ffff:/, '') === peer.replace(/^::ffff:/, '');
}

function isVersion2(payload: Buffer): boolean {
  return payload.readUInt8(0) >> 6 === 2;
}
