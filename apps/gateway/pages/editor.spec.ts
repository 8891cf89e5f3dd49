/** @needs build */
import { copyFile, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { AccessScope } from '@adit/contracts';
import { TranscriptEntity } from '@adit/database';
import { accessibilityFaults, BrowserPage, chromium, sampleMedia } from '@adit/testing';
import { SignJWT } from 'jose';
import { multipart } from '../contract/multipart.js';
import { World } from '../contract/world.js';

const HOUR_LONG = 10_000;
const EVERYTHING: AccessScope[] = ['transcript.read', 'transcript.write', 'export.read', 'export.write'];

let world: World;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-editor-'));
  world = await World.start({ editorFrameAncestors: ['https://newsroom.example.org'], localRoots: [folder] });
}, 600_000);
afterAll(async () => {
  await world?.close();
  await rm(folder, { recursive: true });
});

async function tokenOf(scopes: AccessScope[]): Promise<string> {
  const reply = await world.ask('POST', '/api/v1/access-keys/', { name: 'Ada', type: 'jwt', scopes });
  const { key, secret } = reply.json<{ key: string; secret: string }>();
  const jwt = await new SignJWT({})
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1 hour')
    .sign(new TextEncoder().encode(secret));
  return `${key}.${jwt}`;
}

let recording: Promise<string> | undefined;
async function uploaded(): Promise<string> {
  const bytes = await readFile(sampleMedia().kennedy);
  const { payload, headers } = multipart({ file: { filename: 'address.wav', contentType: 'audio/wav', bytes } });
  const reply = await world.ask('POST', '/api/v1/storage/?folder=/editor', payload, headers);
  expect(reply.status).toBeLessThan(300);
  return reply.json<{ url: string }>().url;
}

/** A transcript whose source is an uploaded recording. */
async function transcribed(texts?: string[]): Promise<{ id: string; variant: string; address: string }> {
  const [id, variantId] = await world.transcript(texts);
  await world.gateway.db.manager.update(TranscriptEntity, { id }, { source: await (recording ??= uploaded()) });
  return { id, variant: `/api/v1/transcripts/${id}/variants/${variantId}`, address: `${world.base}/editor/${id}` };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('the API for the editor', () => {
  it('the editor gets the rights of a token, and the recording in parts', async () => {
    const { id } = await transcribed();
    const at = `/api/v1/transcripts/${id}`;
    const token = await tokenOf(['transcript.read']);
    expect((await world.ask('GET', `${at}/access/`, undefined, bearer(token))).json()).toEqual({
      scopes: ['transcript.read'],
      media: { filename: 'address.wav', content_type: 'audio/wav', size: expect.any(Number) },
    });
    expect((await world.ask('GET', `${at}/access/`)).json()).toMatchObject({ scopes: EVERYTHING });
    const part = await fetch(`${world.base}${at}/media/?token=${token}`, { headers: { range: 'bytes=0-3' } });
    expect([part.status, await part.text(), part.headers.get('content-type')]).toEqual([206, 'RIFF', 'audio/wav']);
    const exporter = await tokenOf(['export.read']);
    expect((await fetch(`${world.base}${at}/media/?token=${exporter}`)).status).toBe(403);
  });

  it('a recording under the local roots is served by the rights of the transcript, in parts, and no other file', async () => {
    const [id] = await world.transcript();
    const at = `/api/v1/transcripts/${id}`;
    const path = join(folder, 'address.wav');
    await copyFile(sampleMedia().kennedy, path);
    const { size } = await stat(path);
    const from = (source: string) => world.gateway.db.manager.update(TranscriptEntity, { id }, { source });
    const media = (headers: Record<string, string> = {}, query = '') =>
      fetch(`${world.base}${at}/media/${query}`, { headers });
    const own = { authorization: `Bearer ${await tokenOf(['transcript.read'])}` };
    for (const source of [path, pathToFileURL(path).href]) {
      await from(source);
      expect((await world.ask('GET', `${at}/access/`)).json()).toMatchObject({
        media: { filename: 'address.wav', content_type: 'audio/wav', size },
      });
      const part = await media({ ...own, range: `bytes=${size - 4}-` });
      const end = (await readFile(path)).subarray(-4);
      expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, end]);
      const etag = part.headers.get('etag')!;
      expect((await media({ ...own, 'if-none-match': etag })).status).toBe(304);
    }
    const whole = await media(own);
    expect(whole.headers.get('content-disposition')).toMatch(/^inline/);
    expect(Buffer.from(await whole.arrayBuffer()).equals(await readFile(path))).toBe(true);
    expect((await media()).status).toBe(401);
    expect((await media({}, `?token=${await tokenOf(['export.read'])}`)).status).toBe(403);
    // A link that leads out of the folder, a folder, and what has gone.
    await symlink('/etc/hostname', join(folder, 'link.wav'));
    for (const source of [join(folder, 'link.wav'), folder, join(folder, 'gone.wav')]) {
      await from(source);
      expect((await world.ask('GET', `${at}/access/`)).json()).toMatchObject({ media: null });
      expect((await media(own)).status).toBe(404);
    }
  });

  it('a source that is no upload, or is gone, is reported plainly', async () => {
    const [id] = await world.transcript();
    for (const source of ['https://example.org/talk.mp3', 'storage://gone', '/etc/hostname', '/gone.wav']) {
      await world.gateway.db.manager.update(TranscriptEntity, { id }, { source });
      expect((await world.ask('GET', `/api/v1/transcripts/${id}/access/`)).json()).toMatchObject({ media: null });
      expect((await world.ask('GET', `/api/v1/transcripts/${id}/media/`)).status).toBe(404);
    }
  });
});

describe('the page', () => {
  it('needs no key, holds nothing, runs its own scripts alone and is framed by those named', async () => {
    const reply = await fetch(`${world.base}/editor/anything?token=secret`);
    expect(reply.status).toBe(200);
    const policy = reply.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain('frame-ancestors https://newsroom.example.org');
    expect(reply.headers.get('x-frame-options')).toBeNull();
    const page = await reply.text();
    expect(page).not.toContain('secret');
    const assets = [...page.matchAll(/(?:src|href)="(\/editor\/assets\/[^"]+)"/g)].map(([, path]) => path);
    expect(assets).toHaveLength(3);
    for (const path of assets) {
      const asset = await fetch(`${world.base}${path}`);
      expect([asset.status, asset.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    }
  });

  it('the page leads nowhere else', async () => {
    for (const path of [
      'assets/index.html',
      'assets/..%2findex.html',
      'assets/package.json',
      'x/y',
      '..%2fapi%2fv1%2fjobs',
    ]) {
      expect([path, (await fetch(`${world.base}/editor/${path}`)).status >= 400]).toEqual([path, true]);
    }
  });
});

const program = chromium();
const title = program === null ? ' (skipped: no Chromium on this machine)' : '';

(program === null ? describe.skip : describe)(`the editor in Chromium${title}`, () => {
  let page: BrowserPage;
  const open = async (address: string, scopes = EVERYTHING, options = {}): Promise<void> => {
    page = await BrowserPage.open(program as string, `${address}?token=${await tokenOf(scopes)}`, options);
    await page.until("document.querySelector('[role=feed][aria-busy=false] .row') !== null");
  };
  const textsOf = async (variant: string): Promise<string[]> => {
    const reply = await world.ask('GET', `${variant}/`);
    const { latest_version: latest } = reply.json<{ latest_version: number }>();
    const list = await world.ask('GET', `${variant}/versions/${latest}/paragraphs/?limit=100`);
    return list.json<{ data: { text: string }[] }>().data.map(({ text }) => text);
  };
  const said = (text: string) => page.until(`document.querySelector('[role=status]')?.textContent.includes('${text}')`);
  afterEach(() => page?.close());

  it.each([1280, 1000, 390])('says plainly why nothing opens, line below line, %i pixels wide', async (width) => {
    const { address } = await transcribed();
    page = await BrowserPage.open(program as string, address, { width });
    await page.until("document.querySelector('[role=alert]') !== null");
    expect(await page.evaluate("document.querySelector('[role=alert]').textContent")).toContain('is not whole');
    const boxes = await page.evaluate<{ top: number; bottom: number; left: number; right: number }[]>(
      "[...document.querySelector('main.alone').children].map((child) => child.getBoundingClientRect().toJSON())",
    );
    expect(boxes.length).toBeGreaterThanOrEqual(4);
    for (const [at, { top, left, right }] of boxes.entries()) {
      if (at > 0) expect(top).toBeGreaterThanOrEqual(boxes[at - 1]!.bottom);
      expect([left >= 0, right <= width, Math.abs((left + right) / 2 - width / 2) < 2]).toEqual([true, true, true]);
    }
    // A whole link opens it.
    await page.evaluate("document.querySelector('main.alone input').focus()");
    await page.write(`${address}?token=${await tokenOf(EVERYTHING)}`);
    await page.press('Enter');
    await page.until("document.querySelector('[role=feed][aria-busy=false] .row') !== null");
  });

  it('the page is worked by keys alone: move, edit, split, name who speaks, save', async () => {
    const { variant, address } = await transcribed([
      'Good evening.',
      'Welcome back to the news.',
      'And now the weather.',
    ]);
    await open(address);
    expect(await page.evaluate('location.href')).toBe(address);
    await page.evaluate("document.querySelector('.row').focus()");
    await page.press('ArrowDown');
    await page.until("document.activeElement.dataset.index === '1'");
    await page.press('Enter');
    await page.until("document.activeElement.tagName === 'TEXTAREA'");
    await page.press('Home');
    await page.write('A warm ');
    await page.press('Home');
    for (let at = 0; at < 'A warm '.length; at += 1) await page.press('ArrowRight');
    await page.press('Enter');
    await page.until("document.querySelectorAll('.row').length === 4");
    await page.press('Escape');
    await page.until("document.activeElement.dataset.index === '2'");
    await page.press('s');
    await page.until("document.querySelector('dialog[open] input') === document.activeElement");
    await page.write('Ada');
    await page.press('Enter');
    await page.until("document.querySelector('dialog') === null");
    await page.press('s', { ctrl: true });
    await said('Saved as version 2.');
    expect(await textsOf(variant)).toEqual([
      'Good evening.',
      'A warm',
      'Welcome back to the news.',
      'And now the weather.',
    ]);
    // New rows have the service's id now: a later edit is an edit of them, and an undone row is deleted.
    await page.evaluate("document.querySelectorAll('.row')[2].focus()");
    await page.press('z', { ctrl: true });
    await page.press('s', { ctrl: true });
    await said('Saved as version 3.');
  });

  it('the page takes edits in a paragraph that a save has just given a name', async () => {
    const { variant, address } = await transcribed(['Good evening. Welcome back.']);
    await open(address);
    await page.evaluate("document.querySelector('.row').focus()");
    await page.press('Enter');
    await page.until("document.activeElement.tagName === 'TEXTAREA'");
    await page.press('Home');
    for (let at = 0; at < 'Good evening. '.length; at += 1) await page.press('ArrowRight');
    await page.press('Enter');
    await page.until("document.activeElement.value === 'Welcome back.'");
    await page.write('Hello. ');
    await page.press('s', { ctrl: true });
    await said('Saved as version 2.');
    // Outside of a text letters are commands.
    await page.press('m');
    await page.until("document.activeElement.value === 'Hello. mWelcome back.'");
    await page.press('s', { ctrl: true });
    await said('Saved as version 3.');
    expect(await textsOf(variant)).toEqual(['Good evening.', 'Hello. mWelcome back.']);
  });

  it('marks the word under the voice, and a click on a word goes there', async () => {
    const { address } = await transcribed(['one two three four', 'five six seven eight']);
    await open(address);
    await page.until("!document.querySelector('.play').disabled");
    const word = "[...document.querySelectorAll('[data-word]')].find((each) => each.textContent === 'seven')";
    await page.evaluate(`${word}.click()`);
    await page.until("document.querySelector('.said')?.textContent === 'seven'");
    expect(await page.evaluate("document.querySelector('video').currentTime")).toBeCloseTo(1.45, 1);
    // The recording comes anew, as with another token: the place stays.
    await page.evaluate("document.querySelector('video').load()");
    await page.until(
      "document.querySelector('video').readyState > 0 && document.querySelector('video').currentTime > 0",
    );
    expect(await page.evaluate("document.querySelector('video').currentTime")).toBeCloseTo(1.45, 1);
    expect(await page.evaluate("document.querySelector('.said')?.textContent")).toBe('seven');
  });

  it('joins no paragraphs that would be longer than the service takes, and says so', async () => {
    const { variant, address } = await transcribed(['a '.repeat(3000).trim(), 'b '.repeat(3000).trim()]);
    await open(address);
    await page.evaluate("document.querySelectorAll('.row')[1].focus()");
    await page.press('Enter');
    await page.until("document.activeElement.tagName === 'TEXTAREA'");
    await page.press('Home', { ctrl: true });
    await page.press('Backspace');
    await said('Together they would be 11,999 characters long; a paragraph has at most 10,000.');
    expect(await page.evaluate("document.querySelectorAll('.row').length")).toBe(2);
    expect((await textsOf(variant)).map((text) => text.length)).toEqual([5999, 5999]);
  });

  it('brings what others have saved together with what is written, and asks where both wrote', async () => {
    const { variant, address } = await transcribed(['one', 'two', 'three']);
    await open(address);
    const rows = (await world.ask('GET', `${variant}/versions/1/paragraphs/?limit=10`)).json<{
      data: { id: string }[];
    }>();
    const [first, , third] = rows.data;
    const write = async (row: number, text: string): Promise<void> => {
      await page.evaluate(`document.querySelectorAll('.row')[${row}].focus()`);
      await page.press('Enter');
      await page.until("document.activeElement.tagName === 'TEXTAREA'");
      await page.press('a', { ctrl: true });
      await page.write(text);
      await page.press('Escape');
    };
    const changes = (list: object[]) => world.ask('POST', `${variant}/versions/`, { changes: list });
    await write(1, 'mine');
    await changes([{ id: first?.id, text: 'theirs' }]);
    await page.press('s', { ctrl: true });
    await said('Saved as version 3.');
    expect(await textsOf(variant)).toEqual(['theirs', 'mine', 'three']);

    await write(2, 'my three');
    await changes([{ id: third?.id, text: 'their three' }]);
    await page.press('s', { ctrl: true });
    await page.until("document.querySelector('.conflicts') !== null");
    expect(await textsOf(variant)).toEqual(['theirs', 'mine', 'their three']);
    await page.evaluate(
      "[...document.querySelectorAll('.conflicts button')].find((each) => /yours/.test(each.textContent)).click()",
    );
    await page.until("document.querySelector('.conflicts') === null");
    await page.press('s', { ctrl: true });
    await said('Saved as version 5.');
    expect(await textsOf(variant)).toEqual(['theirs', 'mine', 'my three']);
  });

  it('shows those who may only read nothing that writes, and has no faults for axe, light and dark', async () => {
    const { variant, address } = await transcribed(['one two three', 'four']);
    await world.ask('POST', `${variant}/versions/`, {
      changes: [{ after: null, text: 'new', time_start: 0, time_end: 1 }],
    });
    const faults: string[] = [];
    for (const [scopes, dark] of [
      [['transcript.read'] as AccessScope[], false],
      [EVERYTHING, true],
    ] as const) {
      await open(address, [...scopes], { dark });
      const buttons = await page.evaluate<string>(
        "[...document.querySelectorAll('.top button')].map((each) => each.textContent).join()",
      );
      const mayWrite = scopes.length > 1;
      expect([/Speakers|Save/.test(buttons), /Export/.test(buttons)]).toEqual([mayWrite, mayWrite]);
      await page.evaluate("document.querySelector('.row').focus()");
      await page.press('Enter');
      expect(await page.evaluate("document.querySelector('textarea') !== null")).toBe(mayWrite);
      faults.push(...(await accessibilityFaults(page)));
      await page.press('Escape');
      for (const name of mayWrite ? ['Export'] : ['Versions']) {
        await page.evaluate(
          `[...document.querySelectorAll('.top button')].find((each) => each.textContent === '${name}').click()`,
        );
        await page.until(
          `document.querySelector('dialog[open]')${name === 'Versions' ? ".querySelector('.versions li')" : ''} !== null`,
        );
        faults.push(...(await accessibilityFaults(page)));
        await page.press('Escape');
        await page.until("document.querySelector('dialog') === null");
      }
      await page.close();
    }
    expect(faults).toEqual([]);
  });

  it('stays quick with 10,000 paragraphs', async () => {
    const texts = Array.from({ length: HOUR_LONG }, (_, at) => `This is what was said as number ${at}, word by word.`);
    const { address } = await transcribed(texts);
    await open(address);
    await page.press('f', { ctrl: true });
    await page.until("document.activeElement.type === 'search'");
    await page.write('number 9876,');
    await page.until(`document.querySelector('.hit') !== null`);
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(3_000);
    // Through all of it, a screen a frame: the longest that the page was busy.
    const busiest = await page.evaluate<number>(`new Promise((resolve) => {
      const scroller = document.querySelector('.scroll');
      let longest = 0;
      let before = performance.now();
      let frames = 0;
      const step = () => {
        const now = performance.now();
        if (frames > 2) longest = Math.max(longest, now - before);
        before = now;
        scroller.scrollTop = (frames % 2 ? 1 : -1) * 40_000 + 300_000 + frames * 700;
        if ((frames += 1) < 60) requestAnimationFrame(step);
        else resolve(longest);
      };
      requestAnimationFrame(step);
    })`);
    // On a machine with other work a frame takes longer; a page that draws all of them takes seconds.
    expect(busiest).toBeLessThan(1_000);
  });
});
