import { AditError } from '@adit/contracts';
import { LiveAddress, parseLiveAddress, shownAddress } from '../../fetch/live-address.js';
import type { CameraOptions } from '../connect-camera.js';
import { Camera, succeeded, type Answer, type CameraListener } from './camera.js';
import { relayedDescription, urlOf } from './description.js';
import { refused, silent, unavailable } from '../live-faults.js';
import type { StreamRelay } from '../start-run.js';
import { LocalSide } from './local-side.js';
import { headerOf, type RtspMessage } from './message.js';
import { Tracks } from './tracks.js';

export interface RelayOptions extends CameraOptions {
  /** Way of the media: within the connection (else as datagrams where the server wants that), or as datagrams. */
  transport: 'tcp' | 'udp';
}

/** Redirects of one opening. */
const MAX_REDIRECTS = 5;
/** Bytes of packets that came before the answer to PLAY. */
const MAX_EARLY_BYTES = 4 << 20;
const WATCH_MS = 250;

/**
 * Stands between a reader of RTSP without a way to any network and a camera. The reader speaks to `url` on loopback.
 * Every connection to a camera is made here and checked; the reader learns neither the camera's address nor the
 * password, and nothing that the camera says makes it connect elsewhere.
 */
export class Relay implements StreamRelay {
  /** Why the stream broke; null while it lasts, when it came to its end, and when it moved. */
  failure: unknown = null;
  /** Where the server asked to read on. */
  movedTo: LiveAddress | null = null;
  private readonly local: LocalSide;
  private readonly tracks: Tracks;
  private description: { session: string; tracks: string[] } | null = null;
  private sessionId: string | null = null;
  private state: 'opening' | 'playing' | 'over' = 'opening';
  /** Packets that came before the answer to PLAY, which the reader would drop. */
  private early: { channel: number; payload: Buffer }[] = [];
  private earlyBytes = 0;
  private lastMedia = 0;
  private isPaused = false;
  private watch: NodeJS.Timeout | null = null;
  private requests: Promise<void> = Promise.resolve();

  private constructor(
    private camera: Camera,
    local: LocalSide,
    private readonly options: RelayOptions,
  ) {
    this.local = local;
    this.tracks = new Tracks(options.transport, (channel, payload) => this.forward(channel, payload));
  }

  /** Connects to the camera and waits for the reader. Throws as `Camera.connect`. */
  static async open(address: LiveAddress, options: RelayOptions): Promise<Relay> {
    const held: { relay?: Relay } = {};
    const local = await LocalSide.listen({
      onRequest: (method, path, message) => held.relay?.queue(method, path, message),
      onPacket: (channel, payload) => held.relay?.report(channel, payload),
      onDrain: () => held.relay?.resume(),
    });
    try {
      const camera = await Camera.connect(
        address,
        options,
        Relay.listenerOf(() => held.relay),
      );
      held.relay = new Relay(camera, local, options);
      return held.relay;
    } catch (error) {
      local.close();
      throw error;
    }
  }

  private static listenerOf(relay: () => Relay | undefined): CameraListener {
    return {
      onPacket: (channel, payload) => relay()?.tracks.take(channel, payload),
      onRedirect: (location) => relay()?.move(location),
      onEnd: (error) => relay()?.takeEnd(error),
    };
  }

  /** URL for the reader. It is a secret. */
  get url(): string {
    return this.local.url;
  }

  /** Tells whether the stream has ended, for whatever reason. */
  get isOver(): boolean {
    return this.state === 'over';
  }

  /** Ends the session at the camera and closes everything. */
  async close(): Promise<void> {
    const wasOver = this.state === 'over';
    this.finish();
    this.local.close();
    if (wasOver) return await this.camera.close(null);
    const { sessionId, description } = this;
    const hasSession = sessionId !== null && description !== null;
    await this.camera.close(hasSession ? { uri: description.session, session: sessionId } : null);
  }

  private get shown(): string {
    return shownAddress(String(this.camera.address));
  }

  /** Ends the stream for the reader, who still gets what has arrived. */
  private fail(error: unknown): void {
    if (this.state === 'over') return;
    this.failure = error;
    this.finish();
    this.local.end();
    void this.camera.close(null);
  }

  private finish(): void {
    this.state = 'over';
    if (this.watch !== null) clearInterval(this.watch);
    this.tracks.close();
    this.early = [];
  }

  /** Requests of the reader, one after the other. */
  private queue(method: string, path: string, message: RtspMessage): void {
    this.requests = this.requests
      .then(() => this.answer(method, path, message))
      .catch((error: unknown) => this.fail(error));
  }

  private async answer(method: string, path: string, message: RtspMessage): Promise<void> {
    if (this.state === 'over') return;
    switch (method) {
      case 'OPTIONS':
        return await (this.state === 'playing' ? this.keepAlive(method, message) : this.passOptions(message));
      case 'DESCRIBE':
        return await this.describe(message);
      case 'SETUP':
        return await this.setUp(path, message);
      case 'PLAY':
        return await this.play(message);
      case 'GET_PARAMETER':
      case 'SET_PARAMETER':
        return await this.keepAlive(method, message);
      case 'TEARDOWN':
        return this.local.reply(message, 200);
      default:
        return this.local.reply(message, 501);
    }
  }

  /** Asks before the stream is described. Cameras refuse it for many reasons, and still can be read. */
  private async passOptions(message: RtspMessage): Promise<void> {
    const answer = await this.following('OPTIONS', () => this.base, passedOn(message, ['session']));
    const publicMethods = headerOf(answer.message, 'public');
    this.local.reply(message, 200, answer.status < 300 && publicMethods !== null ? [['Public', publicMethods]] : []);
  }

  private async describe(message: RtspMessage): Promise<void> {
    const answer = await this.following('DESCRIBE', () => this.address, [['Accept', 'application/sdp']]);
    const { headers, body } = succeeded(this.camera, 'DESCRIBE', answer);
    const { origin } = this.camera.address;
    const stated = headers.find(([name]) => name === 'content-base' || name === 'content-location')?.[1];
    const base = urlOf(stated ?? null, this.address, origin);
    const { text, session, tracks } = relayedDescription(body, base, origin, this.url);
    this.description = { session, tracks };
    this.local.reply(message, 200, [['Content-Type', 'application/sdp']], text);
  }

  private async setUp(path: string, message: RtspMessage): Promise<void> {
    const index = Number(/^\/(\d+)$/.exec(path)?.[1] ?? NaN);
    const uri = this.description?.tracks[index];
    const channel = Number(/interleaved=(\d+)/.exec(headerOf(message, 'transport') ?? '')?.[1] ?? NaN);
    if (uri === undefined || !(channel < 256)) return this.local.reply(message, 400);
    const session: [string, string][] = this.sessionId === null ? [] : [['Session', this.sessionId]];
    const answer = await this.tracks.setUp(this.camera, uri, channel, session);
    const set = headerOf(answer, 'session');
    const [id = ''] = (set ?? '').split(';');
    if (id !== '') this.sessionId = id.trim();
    this.local.reply(message, 200, [
      ['Transport', `RTP/AVP/TCP;unicast;interleaved=${channel}-${channel + 1}`],
      ...(set === null ? [] : [['Session', set] satisfies [string, string]]),
    ]);
  }

  private async play(message: RtspMessage): Promise<void> {
    if (this.description === null) return this.local.reply(message, 455);
    const { session } = this.description;
    const answer = await this.camera.request('PLAY', session, this.inSession(passedOn(message, ['range'])));
    const played = succeeded(this.camera, 'PLAY', answer);
    const info = this.relayedInfo(headerOf(played, 'rtp-info'));
    this.local.reply(message, 200, [
      ...passedOn(played, ['session', 'range']),
      ...(info === '' ? [] : [['RTP-Info', info] satisfies [string, string]]),
    ]);
    if (this.state === 'over') return;
    this.state = 'playing';
    this.lastMedia = performance.now();
    this.watch = setInterval(() => this.look(), WATCH_MS).unref();
    this.tracks.play();
    for (const { channel, payload } of this.early.splice(0)) this.forward(channel, payload);
  }

  private async keepAlive(method: string, message: RtspMessage): Promise<void> {
    const uri = this.description?.session ?? this.address;
    // Some cameras do not answer it and send on: their media tell whether they are there.
    const answer = await this.camera.request(method, uri, this.inSession([])).catch(nullIfUnanswered);
    this.local.reply(message, answer?.status ?? 200);
  }

  /** Sends a request before any session, and follows redirects: each leads to a connection that is checked anew. */
  private async following(method: string, uri: () => string, headers: [string, string][]): Promise<Answer> {
    for (let hop = 0; ; hop++) {
      const answer = await this.camera.request(method, uri(), headers);
      if (answer.status < 300 || answer.status > 399 || this.sessionId !== null) return answer;
      if (hop === MAX_REDIRECTS) throw refused(this.shown, `it redirects more than ${MAX_REDIRECTS} times`);
      const next = redirectTarget(this.camera.address, headerOf(answer.message, 'location'));
      const left = this.camera;
      await left.close(null);
      this.camera = await Camera.connect(
        next,
        this.options,
        Relay.listenerOf(() => this),
      );
      if (this.state !== 'over') continue;
      await this.camera.close(null);
      return answer;
    }
  }

  private get address(): string {
    return String(this.camera.address);
  }

  private get base(): string {
    return this.description?.session ?? this.address;
  }

  private inSession(headers: [string, string][]): [string, string][] {
    return this.sessionId === null ? headers : [['Session', this.sessionId], ...headers];
  }

  /** RTP-Info with the relay's URLs; it tells how the clocks of the tracks go together. */
  private relayedInfo(info: string | null): string {
    const { tracks = [] } = this.description ?? {};
    const entries = [...(info ?? '').matchAll(/url="?([^\s",;]+)"?((?:;(?:seq|rtptime)=\d+)+)/g)];
    return entries
      .flatMap(([, url = '', rest = '']) => {
        const index = tracks.indexOf(urlOf(url, this.base, this.camera.address.origin));
        return index < 0 ? [] : [`url=${this.url}/${index}${rest}`];
      })
      .join(',');
  }

  private move(location: string | null): void {
    try {
      this.movedTo = redirectTarget(this.camera.address, location);
      this.fail(null);
    } catch (error) {
      this.fail(error);
    }
  }

  private takeEnd(error: unknown): void {
    if (this.tracks.haveEnded) return this.fail(null);
    const isOurs = error instanceof AditError && (this.state === 'opening' || error.code === 'SOURCE_UNAVAILABLE');
    // Another try may help where the stream could be read until now.
    this.fail(isOurs ? error : unavailable(this.shown, 'the connection broke', error));
  }

  /** Passes a packet of the reader's channel on to the reader. */
  private forward(channel: number, payload: Buffer): void {
    if (this.state === 'over') return;
    if (this.state === 'opening') {
      this.earlyBytes += payload.length;
      if (this.earlyBytes <= MAX_EARLY_BYTES) this.early.push({ channel, payload });
      return;
    }
    // Odd channels carry reports, which also a camera that shows nothing sends.
    if (channel % 2 === 0) this.lastMedia = performance.now();
    if (this.local.send(channel, payload)) return;
    this.isPaused = true;
    this.camera.pause();
  }

  private resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    this.lastMedia = performance.now();
    this.camera.resume();
  }

  private report(channel: number, payload: Buffer): void {
    if (this.state === 'playing') this.tracks.report(this.camera, channel, payload);
  }

  private look(): void {
    if (this.tracks.haveEnded) return this.fail(null);
    const seconds = this.options.timeoutSeconds;
    if (this.isPaused || performance.now() - this.lastMedia < seconds * 1000) return;
    this.fail(silent(this.shown, seconds));
  }
}

function nullIfUnanswered(error: unknown): null {
  if (AditError.from(error).code === 'SOURCE_UNAVAILABLE') return null;
  throw error;
}

function passedOn(message: RtspMessage, names: readonly string[]): [string, string][] {
  return message.headers.filter(([name]) => names.includes(name));
}

/** The address that a server points to. Our password goes to no other server. */
function redirectTarget(from: LiveAddress, location: string | null): LiveAddress {
  const shown = shownAddress(String(from));
  let to: LiveAddress;
  try {
    to = parseLiveAddress(location ?? '');
  } catch {
    throw refused(shown, 'it redirects to nowhere');
  }
  if (to.protocol !== 'rtsp' && to.protocol !== 'rtsps') throw refused(shown, 'it redirects to another protocol');
  if (from.protocol === 'rtsps' && to.protocol === 'rtsp')
    throw refused(shown, 'it redirects from rtsps:// to rtsp://');
  const isSame = to.host === from.host && to.port === from.port && to.protocol === from.protocol;
  const credentials = to.credentials ?? (isSame ? from.credentials : null);
  return new LiveAddress(to.protocol, to.host, to.port, to.path, credentials);
}
