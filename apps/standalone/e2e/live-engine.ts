import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { nullIfNoFile, StreamGapPage, type DetailedResult, type Job, type StreamGap } from '@adit/contracts';
import { EngineUnderTest } from './engine-under-test.js';
import { mediaRoots } from './films.js';

/** An event as it arrived. */
interface ReceivedEvent {
  event: string;
  data: { segment?: DetailedResult; id?: string };
}

/** Waits until something is so, and returns it. */
export async function until<T>(what: string, ask: () => Promise<T | null>, seconds = 240): Promise<T> {
  for (const end = Date.now() + seconds * 1000; ; await sleep(250)) {
    const found = await ask();
    if (found !== null) return found;
    if (Date.now() > end) throw new Error(`Within ${seconds} s there is no ${what}.`);
  }
}

/** Makes a playlist or manifest of `film` at `path`, as a server of films has it; `args` say of which kind. */
export async function packaged(film: string, args: readonly string[], path: string): Promise<void> {
  const ffmpeg = process.env['ADIT_FFMPEG'] ?? 'ffmpeg';
  await promisify(execFile)(ffmpeg, ['-v', 'error', '-i', film, '-c', 'copy', ...args, path]);
}

/** An engine that may read from this machine, beside a web server of a folder that also receives events. */
export class LiveEngine {
  readonly received: ReceivedEvent[] = [];

  private constructor(
    readonly engine: EngineUnderTest,
    /** Of a playlist and its segments, which the web server serves. */
    readonly folder: string,
    private readonly web: Server,
  ) {}

  static async start(): Promise<LiveEngine> {
    const folder = await mkdtemp(join(tmpdir(), 'live-e2e-'));
    const web = createServer();
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    const engine = await EngineUnderTest.start({
      localRoots: await mediaRoots(),
      env: {
        ADIT_ALLOW_HTTP: 'true',
        ADIT_ALLOW_PRIVATE_ADDRESSES: '127.0.0.1/32',
        ADIT_WEBHOOK_ALLOW_HTTP: 'true',
        ADIT_WEBHOOK_ALLOW_ADDRESSES: '127.0.0.1/32',
        ADIT_STREAM_IDLE_SECONDS: '3',
        // Nothing is left out, however busy the machine is: all gaps are outages.
        ADIT_STREAM_LAG_SECONDS: '600',
      },
    });
    const live = new LiveEngine(engine, folder, web);
    web.on('request', (request, response) => {
      if (request.method === 'GET') {
        void readFile(join(folder, basename(request.url ?? '')))
          .catch(nullIfNoFile)
          .then((file) => response.writeHead(file === null ? 404 : 200).end(file ?? undefined));
        return;
      }
      let raw = '';
      request.setEncoding('utf8').on('data', (piece: string) => (raw += piece));
      request.on('end', () => {
        live.received.push(JSON.parse(raw) as ReceivedEvent);
        response.writeHead(204).end();
      });
    });
    return live;
  }

  /** Address of a file of the folder, and of where events go. */
  address(file = ''): string {
    return `http://127.0.0.1:${(this.web.address() as AddressInfo).port}/${file}`;
  }

  async stop({ id }: Job): Promise<Job> {
    await this.engine.api.request('POST', `/jobs/${id}/stop/`);
    return this.engine.api.ended(id);
  }

  async gaps({ id }: Job): Promise<StreamGap[]> {
    return (await this.engine.api.call(StreamGapPage, 'GET', `/jobs/${id}/gaps/`)).data;
  }

  /** Returns the job's segments in order once there are that many. */
  segments({ id }: Job, count: number): Promise<DetailedResult[]> {
    return until(`${count} segments`, async () => {
      const found = await this.engine.api.segments(id);
      return found.length >= count ? found : null;
    });
  }

  /** Waits until more than that many seconds of the stream are mined. */
  async mined({ id }: Job, seconds: number): Promise<void> {
    await until(`${seconds} s of work`, async () => ((await this.engine.api.job(id)).duration > seconds ? true : null));
  }

  async close(): Promise<void> {
    await this.engine.close();
    this.web.closeAllConnections();
    this.web.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
