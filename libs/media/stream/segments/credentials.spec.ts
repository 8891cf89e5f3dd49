import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AditError } from '@adit/contracts';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fetchSource } from '../../fetch-source.js';
import { parseSource } from '../../fetch/source-uri.js';
import { openLive } from '../open-live.js';

const USER = 'operator';
const PASSWORD = 'pä ss:w%rd';
const EXPECTED = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;
const SECRET = `${USER}:${encodeURIComponent(PASSWORD)}`;
const PACKETS = Buffer.alloc(188 * 8, 0x47);
const POLICY = { localRoots: [], allowHttp: true, allowPrivateAddresses: ['127.0.0.1/32'] };

/** A server of pages that notes what each request said of itself. */
class Origin {
  readonly asked: { path: string; authorization: string | undefined }[] = [];
  readonly pages = new Map<string, string | Buffer>();
  readonly redirects = new Map<string, string>();

  private constructor(private readonly server: Server) {}

  /** @param isProtected - whether it answers 401 to whoever does not say the password */
  static async start(isProtected: boolean): Promise<Origin> {
    const server = createServer();
    const origin = new Origin(server);
    server.on('request', (request: IncomingMessage, response) => {
      const { url = '', headers } = request;
      origin.asked.push({ path: url, authorization: headers.authorization });
      const location = origin.redirects.get(url);
      const page = origin.pages.get(url);
      if (isProtected && headers.authorization !== EXPECTED) response.writeHead(401).end();
      else if (location !== undefined) response.writeHead(302, { location }).end();
      else response.writeHead(page === undefined ? 404 : 200).end(page);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return origin;
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

let own: Origin;
let other: Origin;
beforeEach(async () => {
  [own, other] = [await Origin.start(true), await Origin.start(false)];
});
afterEach(() => Promise.all([own.stop(), other.stop()]));

/** Reads a stream; returns what it showed, or the error. */
async function read(uri: string): Promise<Buffer | AditError> {
  const options = { ...POLICY, idleTimeoutSeconds: 1, signal: new AbortController().signal };
  const bodies: Buffer[] = [];
  try {
    for await (const { body } of openLive(uri, options)) {
      for await (const piece of body) bodies.push(piece as Buffer);
    }
  } catch (error) {
    if (bodies.length === 0) return AditError.from(error);
  }
  return Buffer.concat(bodies);
}

const playlist = (...segments: string[]): string =>
  `#EXTM3U\n#EXT-X-TARGETDURATION:1\n${segments.map((each) => `#EXTINF:1,\n${each}\n`).join('')}`;

describe('the password of a playlist', () => {
  /** @hardening privacy: The password of a stream goes to another server */
  it('goes to its own server alone, not to segments elsewhere', async () => {
    own.pages.set(
      '/live.m3u8',
      playlist('own.ts', `http://${other.host}/other.ts`, `http://x:y@${other.host}/named.ts`),
    );
    own.pages.set('/own.ts', PACKETS);
    other.pages.set('/other.ts', PACKETS);
    const found = await read(`http://${SECRET}@${own.host}/live.m3u8`);
    expect(found).toEqual(Buffer.concat([PACKETS, PACKETS]));
    expect(own.asked.every(({ authorization }) => authorization === EXPECTED)).toBe(true);
    expect(other.asked).toEqual([{ path: '/other.ts', authorization: undefined }]);
  });

  it('is that of a DASH manifest too', async () => {
    const times = '<SegmentTimeline><S t="0" d="1"/></SegmentTimeline>';
    const period = (id: string, media: string) =>
      `<Period id="${id}" start="PT${id}S"><AdaptationSet mimeType="video/mp2t"><Representation id="v"><SegmentTemplate media="${media}">${times}</SegmentTemplate></Representation></AdaptationSet></Period>`;
    const periods = period('0', 'own.ts') + period('1', `http://${other.host}/other.ts`);
    own.pages.set('/live.mpd', `<MPD type="dynamic" availabilityStartTime="2026-11-30T10:00:00Z">${periods}</MPD>`);
    own.pages.set('/own.ts', PACKETS);
    other.pages.set('/other.ts', PACKETS);
    expect(await read(`http://${SECRET}@${own.host}/live.mpd`)).toEqual(Buffer.concat([PACKETS, PACKETS]));
    expect(other.asked).toEqual([{ path: '/other.ts', authorization: undefined }]);
  });

  /** @hardening privacy: The password of a stream goes to another server */
  it('does not follow a redirect to another server', async () => {
    own.redirects.set('/live.m3u8', `http://${other.host}/live.m3u8`);
    other.pages.set('/live.m3u8', playlist('a.ts', `http://${own.host}/b.ts`));
    other.pages.set('/a.ts', PACKETS);
    own.pages.set('/b.ts', PACKETS);
    expect(await read(`http://${SECRET}@${own.host}/live.m3u8`)).toEqual(Buffer.concat([PACKETS, PACKETS]));
    expect(other.asked.map(({ authorization }) => authorization)).not.toContain(EXPECTED);
    expect(other.asked.length).toBeGreaterThan(1);
  });

  it('is refused when it is wrong, without being shown', async () => {
    own.pages.set('/live.m3u8', playlist('own.ts'));
    const found = await read(`http://${USER}:hunter2@${own.host}/live.m3u8`);
    expect(found).toMatchObject({ code: 'SOURCE_REFUSED', message: expect.stringMatching(/status 401/) });
    expect(String(found)).not.toMatch(/hunter2|operator/);
  });

  it('opens films too, and no other address of the web', async () => {
    own.pages.set('/film.m3u8', `${playlist('own.ts')}#EXT-X-ENDLIST\n`);
    own.pages.set('/own.ts', PACKETS);
    const directory = await mkdtemp(join(tmpdir(), 'adit-credentials-'));
    try {
      const limits = { maxBytes: 1e6, timeoutSeconds: 5, idleTimeoutSeconds: 5 };
      const openStorage = () => Promise.reject(new Error('never asked'));
      const copy = await fetchSource(`http://${SECRET}@${own.host}/film.m3u8`, {
        ...POLICY,
        ...limits,
        directory,
        openStorage,
      });
      expect(copy.size).toBe(PACKETS.length);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
    expect(() => parseSource(`http://${SECRET}@${own.host}/film.mp4`, POLICY)).toThrow(/user name/);
    expect(() => parseSource(`http://a:%zz@${own.host}/film.m3u8`, POLICY)).toThrow(/written as %25/);
  });
});
