import { shownAddress } from '../../fetch/live-address.js';
import { succeeded, type Camera } from './camera.js';
import { Datagrams } from './datagrams.js';
import { refused } from '../live-faults.js';
import { headerOf, type RtspMessage } from './message.js';

interface Track {
  /** Even channel of the reader; the next one carries reports. */
  channel: number;
  /** Even channel of the camera, or its datagrams. */
  camera: number | Datagrams;
  /** The camera said that nothing more follows (BYE). */
  hasEnded: boolean;
}

const UNSUPPORTED_TRANSPORT = 461;
const BYE = 203;

/** The tracks of a session: which channel of the reader belongs to which channel or datagrams of the camera. */
export class Tracks {
  private readonly tracks: Track[] = [];
  private readonly toPlay: (() => void)[] = [];
  private isClosed = false;

  constructor(
    private transport: 'tcp' | 'udp',
    /** Gets packets by channel of the reader. */
    private readonly onPacket: (channel: number, payload: Buffer) => void,
  ) {}

  /** Tells whether the camera said of every track that it has ended. */
  get haveEnded(): boolean {
    return this.tracks.length > 0 && this.tracks.every(({ hasEnded }) => hasEnded);
  }

  /** Sets a track up. Returns the camera's answer. */
  async setUp(
    camera: Camera,
    uri: string,
    channel: number,
    session: readonly [string, string][],
  ): Promise<RtspMessage> {
    if (this.transport === 'tcp') {
      const transport = `RTP/AVP/TCP;unicast;interleaved=${channel}-${channel + 1}`;
      const answer = await camera.request('SETUP', uri, [['Transport', transport], ...session]);
      // Datagrams are in the clear, also beside an encrypted connection.
      const isOther = answer.status === UNSUPPORTED_TRANSPORT && camera.address.protocol === 'rtsp';
      if (!isOther || this.tracks.length > 0)
        return this.setUpWithin(camera, channel, succeeded(camera, 'SETUP', answer));
      this.transport = 'udp';
    }
    return await this.setUpBeside(camera, uri, channel, session);
  }

  /** Media may be sent from now on. */
  play(): void {
    for (const reach of this.toPlay.splice(0)) reach();
  }

  /** Takes a packet that came within the camera's connection. */
  take(channel: number, payload: Buffer): void {
    const track = this.tracks.find(({ camera }) => camera === channel || camera === channel - 1);
    if (track !== undefined) this.pass(track, channel !== track.camera, payload);
  }

  /** Sends a report of the reader's. */
  report(camera: Camera, channel: number, payload: Buffer): void {
    const track = this.tracks.find((each) => each.channel + 1 === channel);
    if (track === undefined) return;
    if (track.camera instanceof Datagrams) track.camera.send(payload);
    else camera.sendPacket(track.camera + 1, payload);
  }

  close(): void {
    this.isClosed = true;
    for (const { camera } of this.tracks.splice(0)) if (camera instanceof Datagrams) camera.close();
  }

  private pass(track: Track, isControl: boolean, payload: Buffer): void {
    if (isControl && saysBye(payload)) track.hasEnded = true;
    this.onPacket(track.channel + Number(isControl), payload);
  }

  private setUpWithin(camera: Camera, channel: number, answer: RtspMessage): RtspMessage {
    const [, chosen] = /interleaved=(\d{1,3})\b/.exec(headerOf(answer, 'transport') ?? '') ?? [];
    if (chosen === undefined) {
      throw refused(shownAddress(String(camera.address)), 'the server does not send media within the connection');
    }
    this.tracks.push({ channel, camera: Number(chosen), hasEnded: false });
    return answer;
  }

  private async setUpBeside(
    camera: Camera,
    uri: string,
    channel: number,
    session: readonly [string, string][],
  ): Promise<RtspMessage> {
    const shown = shownAddress(String(camera.address));
    if (camera.address.protocol === 'rtsps') throw refused(shown, 'datagrams would not be encrypted');
    const datagrams = await this.openDatagrams(camera, channel);
    const { port } = datagrams;
    const transport = `RTP/AVP;unicast;client_port=${port}-${port + 1}`;
    const answer = await camera.request('SETUP', uri, [['Transport', transport], ...session]);
    const succeededAnswer = succeeded(camera, 'SETUP', answer);
    const stated = headerOf(succeededAnswer, 'transport') ?? '';
    if (/multicast/i.test(stated)) throw refused(shown, 'it is sent to a group of receivers (multicast)');
    // Where the answer names another source or destination, that changes nothing: datagrams of the peer are taken.
    const ports = /server_port=(\d{1,5})(?:-(\d{1,5}))?/.exec(stated);
    const first = Number(ports?.[1] ?? 0);
    const second = Number(ports?.[2] ?? first + 1);
    if (first > 0 && second > 0 && Math.max(first, second) < 65_536) {
      this.toPlay.push(() => datagrams.reach([first, second]));
    }
    return succeededAnswer;
  }

  private async openDatagrams(camera: Camera, channel: number): Promise<Datagrams> {
    const held: { track?: Track } = {};
    const datagrams = await Datagrams.open(camera.ends, (isControl, payload) => {
      if (held.track !== undefined) this.pass(held.track, isControl, payload);
    });
    held.track = { channel, camera: datagrams, hasEnded: false };
    this.tracks.push(held.track);
    // Nobody would close them any more.
    if (this.isClosed) this.close();
    return datagrams;
  }
}

/** Reads the packets that one RTCP datagram holds. */
function saysBye(payload: Buffer): boolean {
  for (let at = 0; at + 4 <= payload.length; at += 4 + 4 * payload.readUInt16BE(at + 2)) {
    if (payload.readUInt8(at + 1) === BYE) return true;
  }
  return false;
}
