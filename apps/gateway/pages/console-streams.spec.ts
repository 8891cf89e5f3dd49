/** @needs build, ffmpeg, weights, time */
import type { Job } from '@adit/contracts';
import { accessibilityFaults, chromium, signedIn, type BrowserPage } from '@adit/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../contract/world.js';
import {
  BREAK,
  broke,
  CAMERA,
  claimedStream,
  foundFace,
  postedStream,
  readUpTo,
  recordedSegment,
} from '../streams/testing/live-job.js';

const program = chromium();
const title = program === null ? ' (skipped: no Chromium on this machine)' : '';

(program === null ? describe.skip : describe)(`the pages of streams in Chromium${title}`, () => {
  let world: World;
  let page: BrowserPage;
  beforeAll(async () => {
    world = await World.start();
  }, 600_000);
  afterEach(async () => {
    await page?.close();
    const { data } = (await world.ask('GET', '/api/v1/jobs/')).json<{ data: Job[] }>();
    for (const { id } of data) await world.ask('POST', `/api/v1/jobs/${id}/stop/`);
    await world.gateway.db.query("UPDATE jobs SET state = 'stopped', time_completed = now()");
    await world.ask('DELETE', '/api/v1/jobs/?media_type=videostream');
  });
  afterAll(() => world?.close());

  const open = async (at: string, options: Parameters<typeof signedIn>[2] & { key?: string } = {}) => {
    const { key = world.gateway.key, ...rest } = options;
    page = await signedIn(program as string, { base: world.base, key, at }, rest);
  };
  const shown = (selector: string) => page.until(`document.querySelector('${selector}') !== null`);
  const has = (selector: string, words: string) =>
    page.until(`document.querySelector('${selector}')?.textContent.includes(${JSON.stringify(words)})`);
  const press = (label: string) =>
    page.until(`(() => {
      const button = [...document.querySelectorAll('button')].find((each) => each.textContent === '${label}');
      button?.click();
      return button !== undefined;
    })()`);
  const address = (value: string) =>
    page.until(`(() => {
      const field = document.querySelector('dialog [name=address]');
      if (field === null) return false;
      field.value = '${value}';
      field.dispatchEvent(new Event('input', { bubbles: true }));
      return true;
    })()`);
  const read = async (order: object = {}) => {
    const { id } = await postedStream(world.gateway, order);
    const stream = await claimedStream(world.gateway, id);
    await readUpTo(world.gateway, stream, { seconds: 60 });
    return { id, stream };
  };

  it('the list shows how each does, and follows what happens', async () => {
    await open('#/streams');
    await shown('.empty');
    await shown('.live.live');
    const { id, stream } = await read({ tag: 'entrance' });
    await has('.list tbody tr', 'entrance');
    await has('.list tbody tr', 'is read');
    await has('.list tbody tr', '25 pictures a second');
    await broke(world.gateway, stream, 20);
    await has('.list tbody tr', '1, 11 s together');
    // Half of the pictures since then.
    await world.gateway.db.query(
      `UPDATE streams SET frames = frames + 125, last_us = last_us + 10000000, zero_at = zero_at - interval '9 seconds'
        WHERE job_id = $1`,
      [id],
    );
    await has('.list tbody tr', '12.5 pictures a second');
    await world.gateway.db.query(`UPDATE streams SET zero_at = zero_at - interval '5 minutes' WHERE job_id = $1`, [id]);
    await has('.list tbody tr', 'nothing new arrives');
    await world.gateway.db.query("UPDATE streams SET state = 'completed' WHERE job_id = $1", [id]);
    await world.gateway.db.query("UPDATE jobs SET state = 'completed' WHERE id = $1", [id]);
    await has('.streams-page section', 'entrance');
    await shown('.empty');
  });

  it('one is started by the form, which says beside the field what is wrong', async () => {
    await open('#/streams');
    await press('Start a stream …');
    await shown('dialog [name=face_recognition]');
    await address('srt://camera.example.org');
    await press('Start');
    await has('dialog fieldset .fault', 'Choose at least one');
    await page.click('dialog [name=face_recognition]');
    await press('Start');
    await page.until("document.querySelector('dialog [name=address]').getAttribute('aria-invalid') === 'true'");
    await has('dialog .fault', 'port');
    await address(CAMERA);
    await page.click('dialog [name=record]');
    await press('Start');
    await shown('.one-stream');
    await has('.one-stream .condition', 'waits for a recorder');
    const id = (await page.evaluate<string>('location.hash')).split('/').at(-1);
    const job = (await world.ask('GET', `/api/v1/jobs/${id}/`)).json<Job>();
    expect(job).toMatchObject({ sources: [CAMERA], recording: expect.any(String) });
    expect(Object.keys(job.modules)).toEqual(['face_recognition']);
  });

  it('one shows its newest picture with boxes, its gaps and its recording, and is stopped', async () => {
    const { id, stream } = await read({ record: true, tag: 'entrance' });
    await foundFace(world.gateway, id, 'Audrey', 500);
    await recordedSegment(world.gateway, stream);
    await open(`#/streams/${id}`);
    await page.until("document.querySelector('.tried img')?.naturalWidth > 0");
    expect(await page.evaluate("document.querySelector('.tried img').alt")).toBe('Newest picture: Audrey');
    expect(
      await page.evaluate<string[]>(
        "['x', 'y', 'width', 'height'].map((name) => document.querySelector('.tried rect').getAttribute(name))",
      ),
    ).toEqual(['0.3', '0.2', '0.3', '0.5']);
    const link = "[...document.querySelectorAll('.one-stream a')].find((each) => each.href.includes('index.m3u8'))";
    await page.until(`${link} !== undefined`);
    // Without a key, as a player asks.
    expect(await page.evaluate(`fetch(${link}.href).then((reply) => reply.text())`)).toContain('#EXTM3U');
    expect(await page.evaluate('document.body.outerHTML')).not.toContain(world.gateway.key);
    // What is found and what breaks meanwhile comes by itself.
    await foundFace(world.gateway, id, 'Grace', 700);
    await page.until("document.querySelector('.tried img').alt === 'Newest picture: Grace'");
    await has('.newest', 'Audrey');
    await broke(world.gateway, stream, 30);
    await has('.one-stream table', BREAK);
    await press('Stop …');
    await shown('dialog .danger');
    await page.click('dialog .danger');
    await has('.notices', 'was stopped');
    expect((await world.ask('GET', `/api/v1/jobs/${id}/`)).json()).toMatchObject({ state: 'stopped' });
    await has('.one-stream .condition', 'ended');
    expect(await page.evaluate("document.querySelector('.one-stream .danger')")).toBeNull();
  });

  it('a reader sees streams, and is told why it can neither start nor stop one', async () => {
    const { id } = await read();
    const made = await world.ask('POST', '/api/v1/api-keys/', { name: 'reader', role: 'reader' });
    await open('#/streams', { key: made.json<{ key: string }>().key });
    await shown('.list');
    await press('Start a stream …');
    await page.until("document.querySelector('.notices').textContent !== ''");
    expect(await page.evaluate("document.querySelector('dialog')")).toBeNull();
    await page.evaluate(`location.hash = '#/streams/${id}'`);
    await shown('.one-stream .danger');
    expect(await page.evaluate("document.querySelector('.one-stream .danger').getAttribute('aria-disabled')")).toBe(
      'true',
    );
  });

  it('one that is not there says so', async () => {
    await open('#/streams/6a1f0b7e-93c5-4f0e-8d0a-2b6c51f7e913');
    await has('.fault', 'There is no such stream');
  });

  it.each([
    ['light', { dark: false }],
    ['dark', { dark: true }],
    ['dark, in German, as wide as a phone', { dark: true, width: 390, language: 'de' }],
  ])('has no faults for axe: %s', async (_, options) => {
    const { id, stream } = await read({ record: true });
    await foundFace(world.gateway, id, 'Audrey', 500);
    await broke(world.gateway, stream, 30);
    await recordedSegment(world.gateway, stream);
    const faults: string[] = [];
    const look = async (place: string) =>
      faults.push(...(await accessibilityFaults(page)).map((fault) => `${place}: ${fault}`));
    const fits = () => page.evaluate('document.documentElement.scrollWidth <= innerWidth');
    await open('#/streams', options);
    await shown('.list');
    await look('streams');
    expect(await fits()).toBe(true);
    await page.click('.heading .primary');
    await shown('dialog [name=face_recognition]');
    await look('new stream');
    await page.press('Escape');
    await page.evaluate(`location.hash = '#/streams/${id}'`);
    await page.until("document.querySelector('.tried img')?.naturalWidth > 0");
    await shown('.one-stream table');
    await look('stream');
    expect(await fits()).toBe(true);
    expect(faults).toEqual([]);
  });
});
