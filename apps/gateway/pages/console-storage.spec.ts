/** @needs build, time */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StorageEntryEntity } from '@adit/database';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { storageThumbnailKey } from '@adit/storage';
import { accessibilityFaults, chromium, sampleMedia, signedIn, type BrowserPage } from '@adit/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../contract/world.js';
import { SignInCodes } from './sign-in-codes.js';

const program = chromium();
const title = program === null ? ' (skipped: no Chromium on this machine)' : '';
const MEGABYTE = 1 << 20;
const FILES = "input[type='file']:not([webkitdirectory])";
const FOLDER = 'input[webkitdirectory]';

interface Entry {
  id: number;
  name: string;
  url: string;
  uploaded: boolean;
  file_size: number | null;
}

(program === null ? describe.skip : describe)(`the page of the storage in Chromium${title}`, () => {
  let world: World;
  let page: BrowserPage;
  const files = mkdtempSync(join(tmpdir(), 'adit-uploads-'));
  beforeAll(async () => {
    world = await World.start({ storageBytes: 500 * MEGABYTE });
  }, 600_000);
  afterEach(() => page?.close());
  afterAll(async () => {
    await rm(files, { recursive: true, force: true });
    await world?.close();
  });

  const open = async (folder: string, options: Parameters<typeof signedIn>[2] & { key?: string } = {}) => {
    const { key = world.gateway.key, ...rest } = options;
    const at = `#/storage?folder=${encodeURIComponent(folder)}`;
    page = await signedIn(program as string, { base: world.base, key, at }, rest);
    await page.until("document.querySelector('.drop') !== null");
  };
  const shown = (selector: string) => page.until(`document.querySelector(${JSON.stringify(selector)}) !== null`);
  const says = (text: string) => page.until(`document.body.textContent.includes(${JSON.stringify(text)})`);
  const press = (label: string) =>
    page.until(
      `((button) => { button.click(); return true; })([...document.querySelectorAll('button')].find((each) => each.textContent === '${label}'))`,
    );
  const list = async (folder: string): Promise<Entry[]> =>
    (await world.ask('GET', `/api/v1/storage/?folder=${encodeURIComponent(folder)}`)).json<Entry[]>();
  const digestOf = async (id: number): Promise<string> => {
    const reply = await fetch(`${world.base}/api/v1/storage/${id}/file/`, {
      headers: { authorization: `Key ${world.gateway.key}` },
    });
    return createHash('sha256')
      .update(Buffer.from(await reply.arrayBuffer()))
      .digest('hex');
  };
  const file = async (name: string, bytes: Buffer | string): Promise<string> => {
    const path = join(files, name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, bytes);
    return path;
  };
  const upload = async (folder: string, name: string, bytes: Buffer | string): Promise<void> => {
    const headers = { 'tus-resumable': '1.0.0', 'upload-length': String(bytes.length) };
    const path = `/api/v1/storage/uploads/?folder=${encodeURIComponent(folder)}&name=${encodeURIComponent(name)}`;
    const stream = { 'content-type': 'application/offset+octet-stream' };
    const reply = await world.ask('POST', path, Buffer.from(bytes), { ...headers, ...stream });
    expect(reply.status).toBe(201);
  };

  it('uploads a large file in pieces, pauses, is reloaded half-way, goes on and has all its bytes', async () => {
    const bytes = randomBytes(40 * MEGABYTE + 11);
    const path = await file('evening.mxf', bytes);
    await open('/films');
    await says('There is no such folder');
    await page.limitUpload(3 * MEGABYTE);
    await page.choose(FILES, path);
    await page.until("document.querySelector('.upload.sending progress')?.value > 0");
    await press('Pause');
    await shown('.upload.paused');
    await press('Go on');
    await shown('.upload.sending');
    const [begun] = await list('/films');
    expect(begun).toMatchObject({ name: 'evening.mxf', uploaded: false });
    await page.until("document.querySelector('.upload.sending progress')?.value > 16_000_000");
    await page.reload();
    await page.until("document.activeElement?.name === 'key'");
    await page.write(world.gateway.key);
    await page.press('Enter');
    await shown('.upload.kept');
    await says('Choose or drop the same file again to go on.');
    await page.until("document.querySelector('.upload.kept progress').value > 8_000_000");
    await page.limitUpload(null);
    await page.choose(FILES, path);
    await shown('.upload.done');
    const entries = await list('/films');
    expect(entries).toMatchObject([{ id: begun?.id, uploaded: true, file_size: bytes.length }]);
    expect(await digestOf(Number(begun?.id))).toBe(createHash('sha256').update(bytes).digest('hex'));
    // The list follows, and nothing is remembered any more.
    await page.until("document.querySelector('.entries')?.textContent.includes('evening.mxf')");
    expect(await page.evaluate('Object.keys(localStorage).filter((key) => key.startsWith("adit-uploads"))')).toEqual(
      [],
    );
    await page.until("/MB used, .* MB of 524 MB free/.test(document.querySelector('.use')?.textContent)");
  });

  it('gives an upload up, and nothing of it stays', async () => {
    const path = await file('given-up.mxf', randomBytes(20 * MEGABYTE));
    await open('/given-up');
    await page.limitUpload(1.5 * MEGABYTE);
    await page.choose(FILES, path);
    await page.until("document.querySelector('.upload.sending progress')?.value > 0");
    await press('Give up');
    await page.until("document.querySelector('.upload') === null");
    expect(await list('/given-up')).toEqual([]);
  });

  it('stops for a link that signs in another key, and sends nothing with that one', async () => {
    const bytes = randomBytes(20 * MEGABYTE);
    const paths = await Promise.all(['a', 'b', 'c'].map((name) => file(`queued/${name}.mxf`, bytes)));
    const made = await world.ask('POST', '/api/v1/api-keys/', { name: 'second key', role: 'admin' });
    const second = made.json<{ key: string }>().key;
    const follow = async (key: string) => {
      const code = world.gateway.app.get(SignInCodes).offer(key);
      await page.evaluate(`void (location.hash = '#/sign-in?code=${code}')`);
      await page.until(`document.querySelector('.who')?.textContent.includes('second key') === ${key === second}`);
    };
    await open('/queued');
    await page.limitUpload(MEGABYTE / 2);
    await page.choose(FILES, ...paths);
    await page.until("document.querySelectorAll('.upload.sending').length === 2");
    await follow(second);
    await page.limitUpload(null);
    // Whoever comes back finds all of them where they stood, also the one that waited.
    await follow(world.gateway.key);
    await page.evaluate("location.hash = '#/storage?folder=/queued'");
    await page.until("document.querySelectorAll('.upload.paused').length === 3");
    await press('Go on with all');
    await page.until("document.querySelectorAll('.upload.done').length === 3");
    expect((await list('/queued')).map(({ uploaded }) => uploaded)).toEqual([true, true, true]);
  });

  it('a file that has changed and is as large as before replaces the one that is there, when that is asked for', async () => {
    await upload('/changed', 'cut.mov', 'one');
    const path = await file('changed/cut.mov', 'two');
    await open('/changed');
    await shown('.entries');
    await page.choose(FILES, path);
    await shown('.upload.there');
    await page.click('[aria-label="Replace the file changed/cut.mov that is there"]');
    await shown('.upload.done');
    const entries = await list('/changed');
    expect(entries.map(({ name }) => name)).toEqual(['cut.mov']);
    expect(await digestOf(Number(entries[0]?.id))).toBe(createHash('sha256').update('two').digest('hex'));
  });

  it('follows many small files without reading the folder for each of them', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `${at}.mov`);
    const paths = await Promise.all(names.map((name) => file(`small/${name}`, name)));
    await open('/small');
    await page.choose(FILES, ...paths);
    await page.until("document.querySelectorAll('.entries tbody tr').length === 12");
    const began = await page.evaluate<number[]>(
      "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/storage/usage/')).map(({ startTime }) => startTime)",
    );
    expect(began.length).toBeGreaterThan(1);
    // Two seconds, less what a busy machine takes between the decision and the request.
    for (const [at, time] of began.slice(1).entries()) expect(time - Number(began[at])).toBeGreaterThan(1000);
  });

  it('takes a folder with what is in it, and what is there already is not sent again', async () => {
    await file('shoot/day 1/a.mov', 'one');
    await file('shoot/day 1/.DS_Store', 'junk');
    await file('shoot/b.mov', 'two');
    await open('/');
    await page.choose(FOLDER, join(files, 'shoot'));
    await page.until("document.querySelectorAll('.upload.done').length === 2");
    expect((await list('/shoot')).map(({ name }) => name)).toEqual(['/shoot/day 1', 'b.mov']);
    expect((await list('/shoot/day 1')).map(({ name }) => name)).toEqual(['a.mov']);
    // Dropped again, by hand this time, with a file that has changed and a new one.
    await file('shoot/b.mov', 'two and more');
    await file('shoot/c.mov', 'three');
    await press('Clear what is done');
    await page.drop('.drop', join(files, 'shoot'));
    await page.until("document.querySelectorAll('.upload.there').length === 1");
    await shown('.upload.taken');
    await page.until("document.querySelectorAll('.upload.done').length === 1");
    await press('Keep both');
    await page.until("document.querySelectorAll('.upload.done').length === 2");
    expect((await list('/shoot')).map(({ name }) => name)).toEqual(['/shoot/day 1', 'b (1).mov', 'b.mov', 'c.mov']);
    await page.click(".entries a[href*='shoot']");
    await page.until("document.querySelector('h1').textContent === 'shoot'");
    await page.click('.entries a');
    await page.until("document.querySelector('h1').textContent === 'day 1'");
    await page.click('.way a', 1);
    await page.until("document.querySelector('h1').textContent === 'shoot'");
  });

  it('shows a small picture of what has one, and downloads a file', async () => {
    const photo = await readFile(sampleMedia().faces['cage'] ?? '');
    await upload('/kept', 'cage.jpg', photo);
    // What a decoder would make of it.
    const { app, db } = world.gateway;
    const [{ id } = { id: 0 }] = await list('/kept');
    const { workspaceId, key } = await db.manager.findOneByOrFail(StorageEntryEntity, { id });
    await app.get<ObjectStore>(OBJECT_STORE, { strict: false }).put(storageThumbnailKey(workspaceId, key ?? ''), photo);
    await db.manager.update(StorageEntryEntity, { id }, { thumbnail: 'made' });
    await open('/kept');
    await page.until("document.querySelector('.entries th img')?.naturalWidth > 0");
    await page.evaluate(`(() => {
      const { createObjectURL } = URL;
      URL.createObjectURL = (blob) => {
        HTMLAnchorElement.prototype.click = function () { window.saved = [this.download, blob.size]; };
        return createObjectURL.call(URL, blob);
      };
    })()`);
    await page.click('[aria-label="Download cage.jpg"]');
    await page.until('window.saved !== undefined');
    expect(await page.evaluate('window.saved')).toEqual(['cage.jpg', photo.length]);
  });

  it('starts a job on a file', async () => {
    await upload('/jobs', 'film.mp4', 'no film at all');
    await open('/jobs');
    await press('Start a job …');
    await page.until("document.querySelectorAll('dialog fieldset input').length > 0");
    await press('Start');
    await says('Choose at least one.');
    await page.evaluate(
      "[...document.querySelectorAll('dialog .check')].find((each) => each.textContent.includes('face_recognition')).querySelector('input').click()",
    );
    await page.evaluate("document.querySelector('dialog input[type=text]').focus()");
    await page.write('case 7');
    await press('Start');
    await page.until('/^#\\/jobs\\/./.test(location.hash)');
    const id = await page.evaluate<string>("location.hash.split('/').at(-1)");
    const job = await world.ask('GET', `/api/v1/jobs/${id}/`);
    const [entry] = await list('/jobs');
    expect(job.json()).toMatchObject({ sources: [entry?.url], tag: 'case 7' });
    expect(Object.keys(job.json<{ modules: object }>().modules)).toEqual(['face_recognition']);
    // While it needs the file, that is not deleted, and why is said.
    await page.evaluate("location.hash = '#/storage?folder=/jobs'");
    await page.click('.entries button.quiet');
    await page.click('dialog .danger');
    await says('still needs storage://');
    expect(await list('/jobs')).toHaveLength(1);
  });

  it('deletes a file and a folder after it was asked', async () => {
    await upload('/old/deep', 'a.txt', 'a');
    await upload('/old', 'b.txt', 'b');
    await open('/old');
    await page.until("document.querySelectorAll('.entries tbody tr').length === 2");
    await page.click('.entries button.quiet', 1);
    await says('Delete the file “b.txt”?');
    await press('Cancel');
    expect(await list('/old')).toHaveLength(2);
    await page.click('.entries button.quiet', 1);
    await page.click('dialog .danger');
    await page.until("document.querySelectorAll('.entries tbody tr').length === 1");
    await page.click('.entries button.quiet');
    await says('Delete the folder “deep” with everything in it?');
    await page.click('dialog .danger');
    await says('This folder is empty.');
    expect(await list('/old')).toEqual([]);
  });

  it('a reader sees the files, changes nothing and is told why', async () => {
    await upload('/seen', 'a.txt', 'a');
    const made = await world.ask('POST', '/api/v1/api-keys/', { name: 'guest', role: 'reader' });
    await open('/seen', { key: made.json<{ key: string }>().key });
    await shown('.entries');
    expect(await page.evaluate("document.querySelector('.drop').textContent")).toContain('the role reader');
    await page.click('.entries button.quiet');
    await page.until("document.querySelector('.notices').textContent.includes('the role reader')");
    expect(await page.evaluate("document.querySelector('dialog')")).toBe(null);
    await page.drop('.drop', await file('guest.txt', 'guest'));
    await page.choose(FILES, await file('guest.txt', 'guest'));
    expect(await page.evaluate("document.querySelectorAll('.upload').length")).toBe(0);
    expect(await list('/seen')).toHaveLength(1);
  });

  it('says it in German', async () => {
    await open('/', { language: 'de' });
    await page.until("document.querySelector('h1').textContent === 'Speicher'");
    await says('Dateien und Ordner hierher ziehen');
  });

  it.each([
    ['light', { dark: false }],
    ['dark', { dark: true }],
    ['dark, as wide as a phone', { dark: true, width: 390 }],
  ])('has no faults for axe: %s', async (name, options) => {
    const folder = `/axe ${name}`;
    await upload(`${folder}/a folder`, 'a.txt', 'a');
    await upload(folder, 'long-name-without-a-place-to-break-it-anywhere-in-it.mp4', 'a');
    const path = await file(`${name}/small.bin`, randomBytes(3 * MEGABYTE));
    const faults: string[] = [];
    const look = async (place: string) =>
      faults.push(...(await accessibilityFaults(page)).map((fault) => `${place}: ${fault}`));
    await open(folder, options);
    await shown('.entries');
    await page.limitUpload(MEGABYTE / 8);
    await page.choose(FILES, path);
    await shown('.upload.sending');
    await look('uploads');
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await press('Start a job …');
    await page.until("document.querySelectorAll('dialog fieldset input').length > 0");
    await look('start');
    await page.press('Escape');
    await page.until("document.querySelector('dialog') === null");
    await page.click('.entries button.quiet');
    await shown('dialog .danger');
    await look('delete');
    expect(faults).toEqual([]);
  });
});
