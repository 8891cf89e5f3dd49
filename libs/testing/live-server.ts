import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { selfSignedCertificate } from './certificate.js';
import { ffmpegProgram } from './media/ffmpeg-program.js';
import { mediamtxProgram } from './servers.js';

interface LiveServerOptions {
  /** Ways in which media travel over RTSP; default both. */
  rtspTransports?: readonly ('tcp' | 'udp')[];
  /** Ways in which a user may prove who it is; default both. */
  rtspAuthMethods?: readonly ('basic' | 'digest')[];
}

/** A film on its way to a server, in real time and again from the start until it is stopped. */
export interface Publisher {
  stop(): Promise<void>;
}

/**
 * A MediaMTX of one spec on loopback: RTSP, RTSPS, RTMP, SRT and HLS; anybody publishes anywhere and reads below `open/`,
 * and with `SRT_PASSPHRASE` over SRT below `sealed/`.
 */
export interface LiveServer {
  /** Ports by protocol; `srt` is of UDP. */
  ports: Record<'rtsp' | 'rtsps' | 'rtmp' | 'srt' | 'hls', number>;
  /** PEM, of the RTSPS port. */
  certificate: string;
  /** Reads every path. */
  user: { name: string; password: string };
  /** Sends a film there. Resolves once it can be read. */
  publish(path: string, film: string, options?: readonly string[]): Promise<Publisher>;
  kill(): Promise<void>;
  /** Starts it again on the same ports. */
  start(): Promise<void>;
  /** Stops and continues its processing without closing a connection. */
  freeze(): void;
  thaw(): void;
  remove(): Promise<void>;
}

const USER = { name: 'viewer', password: 'p@ss#w0rd' };
export const SRT_PASSPHRASE = 'a passphrase & a half';
/** Below the range that the system hands to outgoing connections. */
const PORTS = { first: 20_000, last: 32_000 };
const READY_MS = 20_000;

/** `describe` for what needs MediaMTX, at the top level of a spec: where it cannot be built the suite says why. */
export async function describeLive(title: string, body: (program: string) => void): Promise<void> {
  const { describe, it } = await import('@jest/globals');
  const found = await mediamtxProgram();
  if ('program' in found) return void describe(title, () => body(found.program));
  describe(`${title} (skipped: no mediamtx: ${found.reason.split('\n', 1)[0]})`, () => {
    it.skip('everything in it', () => undefined);
  });
}

/** Starts a MediaMTX; remove it in `afterAll`. @param program as `describeLive` gives it */
export async function liveServer(program: string, options: LiveServerOptions = {}): Promise<LiveServer> {
  const folder = await mkdtemp(join(tmpdir(), 'adit-live-'));
  const { key, cert } = selfSignedCertificate(['127.0.0.1']);
  await Promise.all([writeFile(join(folder, 'server.key'), key), writeFile(join(folder, 'server.crt'), cert)]);
  const ports = await livePorts();
  await writeFile(join(folder, 'mediamtx.yml'), JSON.stringify(configuration(ports, options)));
  const publishers = new Set<Publisher>();
  let child: ChildProcess | null = null;
  const kill = async (): Promise<void> => {
    const ending = child;
    child = null;
    await ended(ending);
  };
  const start = async (): Promise<void> => {
    child = startProgram(program, [join(folder, 'mediamtx.yml')], folder);
    await ready(child, folder, () => accepts(ports.rtsp));
  };
  await start();
  return {
    ports,
    certificate: cert,
    user: USER,
    kill,
    start,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    publish: async (path, film, more = []) => {
      const target = `rtsp://127.0.0.1:${ports.rtsp}/${path}`;
      const input = ['-nostdin', '-v', 'error', '-re', '-stream_loop', '-1', '-i', film];
      const output = ['-c', 'copy', ...more, '-f', 'rtsp', '-rtsp_transport', transportOf(options), target];
      const before = await sourceOf(ports.api, path);
      const ffmpeg = startProgram(ffmpegProgram(), [...input, ...output], folder);
      const publisher = { stop: () => ended(ffmpeg) };
      publishers.add(publisher);
      await ready(ffmpeg, folder, async () => {
        const source = await sourceOf(ports.api, path);
        return source !== null && source !== before;
      });
      return publisher;
    },
    remove: async () => {
      await Promise.all([kill(), ...[...publishers].map((publisher) => publisher.stop())]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function transportOf({ rtspTransports }: LiveServerOptions): string {
  return rtspTransports?.includes('tcp') === false ? 'udp' : 'tcp';
}

type Ports = Awaited<ReturnType<typeof livePorts>>;

async function livePorts(): Promise<Record<'rtsp' | 'rtsps' | 'rtmp' | 'srt' | 'hls' | 'api' | 'rtp', number>> {
  const [rtsp, rtsps, rtmp, srt, hls, api] = await Promise.all(Array.from({ length: 6 }, () => freePort()));
  // Of UDP: an even port and the next one.
  const rtp = randomInt(PORTS.first / 2, PORTS.last / 2) * 2;
  return { rtsp: rtsp!, rtsps: rtsps!, rtmp: rtmp!, srt: srt!, hls: hls!, api: api!, rtp };
}

function configuration(ports: Ports, options: LiveServerOptions): object {
  const { rtspTransports = ['tcp', 'udp'], rtspAuthMethods = ['basic', 'digest'] } = options;
  const at = (port: number): string => `127.0.0.1:${port}`;
  const anybody = { user: 'any', pass: '' };
  return {
    logLevel: 'warn',
    rtspTransports,
    rtspAuthMethods,
    rtspEncryption: 'optional',
    rtspAddress: at(ports.rtsp),
    rtspsAddress: at(ports.rtsps),
    rtpAddress: at(ports.rtp),
    rtcpAddress: at(ports.rtp + 1),
    srtpAddress: at(ports.rtp + 2),
    srtcpAddress: at(ports.rtp + 3),
    rtmpAddress: at(ports.rtmp),
    srtAddress: at(ports.srt),
    hlsAddress: at(ports.hls),
    hlsVariant: 'mpegts',
    webrtc: false,
    api: true,
    apiAddress: at(ports.api),
    authInternalUsers: [
      {
        ...anybody,
        permissions: [{ action: 'publish' }, { action: 'read', path: '~^(open|sealed)/' }, { action: 'api' }],
      },
      { user: USER.name, pass: USER.password, permissions: [{ action: 'read' }] },
    ],
    paths: { '~^sealed/': { srtReadPassphrase: SRT_PASSPHRASE }, all_others: {} },
  };
}

function startProgram(program: string, args: readonly string[], cwd: string): ChildProcess {
  const log = openSync(join(cwd, 'log'), 'a');
  const child = spawn(program, args, { cwd, stdio: ['ignore', log, log] });
  closeSync(log);
  child.on('error', () => undefined);
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}

async function ended(child: ChildProcess | null): Promise<void> {
  if (child === null || child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

async function ready(child: ChildProcess, folder: string, isReady: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + READY_MS;
  while (!(await isReady())) {
    if (child.exitCode !== null || child.pid === undefined)
      throw new Error(`${child.spawnfile} has ended: ${readFileSync(join(folder, 'log'), 'utf8').slice(-1000)}`);
    if (Date.now() > deadline) throw new Error(`${child.spawnfile} is not ready within ${READY_MS / 1000} s.`);
    await sleep(50);
  }
}

/** The id of a path's publisher; null without one. */
async function sourceOf(port: number, path: string): Promise<string | null> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/v3/paths/get/${path}`);
    const { ready: isReady, source } = (await answer.json()) as { ready?: boolean; source?: { id: string } };
    return isReady === true && source !== undefined ? source.id : null;
  } catch {
    return null;
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = randomInt(PORTS.first, PORTS.last);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server
        .once('error', () => resolve(false))
        .listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
  throw new Error('No port is free.');
}
