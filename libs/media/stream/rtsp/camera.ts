import type { Socket } from 'node:net';
import { connectCamera, type CameraOptions } from '../connect-camera.js';
import { shownAddress, type LiveAddress } from '../../fetch/live-address.js';
import { Authorizer } from './authorization.js';
import { refused, unavailable } from '../live-faults.js';
import { statusFault } from './faults.js';
import { headerOf, interleaved, RtspReader, writeMessage, type RtspMessage } from './message.js';

export interface CameraListener {
  onPacket(channel: number, payload: Buffer): void;
  /** The server asks to read on at another address. */
  onRedirect(location: string | null): void;
  /** The connection has ended by itself, or what came over it cannot be read. */
  onEnd(error: unknown): void;
}

export interface Answer {
  status: number;
  message: RtspMessage;
}

/** Requests of a server that are answered with 200; they tell whether we are still there. */
const KEEP_ALIVES = new Set(['OPTIONS', 'GET_PARAMETER', 'SET_PARAMETER']);
/** How long a server has to take note of the end. */
const FAREWELL_MS = 200;

/** Our connection to a camera or server of RTSP: sends one request after the other and proves who we are. */
export class Camera {
  private readonly reader = new RtspReader();
  private readonly authorizer: Authorizer | null;
  private sequence = 0;
  private waiting: { resolve: (message: RtspMessage) => void; reject: (error: unknown) => void } | null = null;
  private last: Promise<unknown> = Promise.resolve();
  private isOver = false;

  private constructor(
    private readonly socket: Socket,
    readonly address: LiveAddress,
    private readonly timeoutSeconds: number,
    private readonly listener: CameraListener,
  ) {
    this.authorizer = address.credentials && new Authorizer(address.credentials);
    socket.on('data', (piece: Buffer) => this.read(piece));
    socket.on('error', (error) => this.end(error));
    socket.on('close', () => this.end(null));
  }

  /** Throws as `connectCamera`. */
  static async connect(address: LiveAddress, options: CameraOptions, listener: CameraListener): Promise<Camera> {
    return new Camera(await connectCamera(address, options), address, options.timeoutSeconds, listener);
  }

  /** The addresses of both ends, for datagrams beside the connection. */
  get ends(): { local: string; peer: string } {
    return { local: this.socket.localAddress ?? '', peer: this.socket.remoteAddress ?? '' };
  }

  /**
   * Sends a request and returns the answer, whatever its status, but proves who we are where that is asked for. Throws
   * SOURCE_REFUSED when the server does not accept that, SOURCE_UNAVAILABLE without an answer.
   */
  async request(method: string, uri: string, headers: readonly [string, string][] = []): Promise<Answer> {
    const shown = shownAddress(String(this.address));
    for (let tries = 0; ; tries++) {
      const answer = await this.inTurn(() => this.ask(method, uri, headers));
      if (answer.status !== 401) return answer;
      if (this.authorizer === null) throw refused(shown, 'it asks for a user name and a password');
      const challenges = answer.message.headers.flatMap(([name, value]) =>
        name === 'www-authenticate' ? [value] : [],
      );
      if (tries < 2 && this.authorizer.take(challenges, tries > 0)) continue;
      throw refused(shown, 'it does not accept the user name or the password');
    }
  }

  /** Sends a packet of a channel; it is dropped where the connection is full. */
  sendPacket(channel: number, payload: Buffer): void {
    if (!this.isOver && !this.socket.writableNeedDrain) this.socket.write(interleaved(channel, payload));
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  /** Closes the connection, and before that says so, where a session has begun. */
  async close(farewell: { uri: string; session: string } | null): Promise<void> {
    this.isOver = true;
    this.waiting?.reject(new Error('closed'));
    if (this.socket.destroyed) return;
    if (farewell !== null) {
      this.socket.end(this.encoded('TEARDOWN', farewell.uri, [['Session', farewell.session]]));
      // What it still sends is read, or its reset would overtake our farewell.
      this.socket.resume();
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, FAREWELL_MS);
        this.socket.once('close', () => {
          clearTimeout(timer);
          resolve(null);
        });
      });
    }
    this.socket.destroy();
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.last.then(work, work);
    this.last = result;
    return result;
  }

  private async ask(method: string, uri: string, headers: readonly [string, string][]): Promise<Answer> {
    const shown = shownAddress(String(this.address));
    if (this.isOver) throw unavailable(shown, 'the connection has ended');
    const { timeoutSeconds } = this;
    const late = unavailable(shown, `the server does not answer ${method} within ${timeoutSeconds} s`);
    const timer = setTimeout(() => this.waiting?.reject(late), timeoutSeconds * 1000);
    try {
      const message = await new Promise<RtspMessage>((resolve, reject) => {
        this.waiting = { resolve, reject };
        this.socket.write(this.encoded(method, uri, headers));
      });
      const status = Number(/^RTSP\/\d\.\d (\d{3})\b/.exec(message.start)?.[1] ?? NaN);
      if (Number.isNaN(status)) throw refused(shown, 'the server does not follow RTSP');
      return { status, message };
    } finally {
      clearTimeout(timer);
      this.waiting = null;
    }
  }

  private encoded(method: string, uri: string, headers: readonly [string, string][]): Buffer {
    const all: [string, string][] = [['CSeq', String(++this.sequence)], ['User-Agent', 'Adit'], ...headers];
    const authorization = this.authorizer?.header(method, uri);
    if (authorization != null) all.push(['Authorization', authorization]);
    return writeMessage(`${method} ${uri} RTSP/1.0`, all);
  }

  private read(piece: Buffer): void {
    if (this.isOver) return;
    try {
      for (const part of this.reader.add(piece)) {
        if ('message' in part) this.take(part.message);
        else this.listener.onPacket(part.channel, part.payload);
      }
    } catch (error) {
      this.end(error);
    }
  }

  private take(message: RtspMessage): void {
    if (message.start.startsWith('RTSP/')) {
      // The answer to a request that was given up comes too late.
      const answered = headerOf(message, 'cseq');
      if (answered === null || Number(answered) === this.sequence) this.waiting?.resolve(message);
      return;
    }
    const [method = ''] = message.start.split(' ', 1);
    const isKnown = KEEP_ALIVES.has(method) || method === 'REDIRECT';
    const sequence = headerOf(message, 'cseq') ?? '0';
    this.socket.write(writeMessage(isKnown ? 'RTSP/1.0 200 OK' : 'RTSP/1.0 501 Not Implemented', [['CSeq', sequence]]));
    if (method === 'REDIRECT') this.listener.onRedirect(headerOf(message, 'location'));
  }

  private end(error: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    const ending = error ?? unavailable(shownAddress(String(this.address)), 'the server closed the connection');
    this.waiting?.reject(ending);
    this.socket.destroy();
    this.listener.onEnd(ending);
  }
}

/** Throws unless the answer is a success. */
export function succeeded(camera: Camera, method: string, { status, message }: Answer): RtspMessage {
  if (status >= 200 && status < 300) return message;
  throw statusFault(shownAddress(String(camera.address)), method, status);
}
