/** @needs ffmpeg, weights, build */
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { chromium, signedIn, type BrowserPage } from '@adit/testing';
import { EngineUnderTest } from './engine-under-test.js';
import { MAN_TWICE, manNamed, manTwice, NAMED } from './films.js';

/** `ADIT_UPDATE_IMAGES=1` writes it anew. */
const image = new URL('../../../docs/images/console.png', import.meta.url);
const program = chromium();
const title = program === null ? ' (skipped: no Chromium on this machine)' : '';

(program === null ? describe.skip : describe)(`the console over a whole engine, in Chromium${title}`, () => {
  let engine: EngineUnderTest;
  let folder: string;
  let page: BrowserPage;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-console-'));
    engine = await EngineUnderTest.start({ localRoots: [folder] });
  });
  afterEach(() => page?.close());
  afterAll(async () => {
    await engine?.close();
    await rm(folder, { recursive: true, force: true });
  });
  const text = (selector: string) => page.evaluate<string>(`document.querySelector('${selector}')?.textContent ?? ''`);
  const open = async () => {
    page = await signedIn(program as string, { base: engine.api.url, key: engine.key });
  };
  /** Waits for a job by its name, whose row says a state. */
  const says = (name: string, state: string) =>
    page.until(
      `[...document.querySelectorAll('.job.${state}')].some((row) => row.querySelector('.name a').textContent === '${name}')`,
      300_000,
    );

  it('a job comes up, runs and ends while the list is watched; opened, it plays to an appearance', async () => {
    const film = join(folder, 'evening.mp4');
    await copyFile(await manTwice(), film);
    await open();
    await page.until("document.querySelector('.empty') !== null && document.querySelector('.live.live') !== null");
    const { id } = await engine.api.post({ sources: [film], tag: 'Evening news' });
    await says('Evening news', 'processing');
    await says('Evening news', 'completed');
    await page.evaluate("document.querySelector('.job .name a').click()");
    await page.until("document.querySelector('.one-job h1')?.textContent === 'Evening news'");
    // The film is there, and stands at the frame that was asked for.
    await page.until("document.querySelector('video')?.videoWidth === 400");
    await page.evaluate("document.querySelector('[data-tab=segments]').click()");
    const segments = await engine.api.segments(id);
    await page.until(`document.querySelectorAll('.segment').length === ${segments.length}`);
    const second = segments.find(({ frame_start: start }) => Number(start) > MAN_TWICE.first[1]);
    const at = `[...document.querySelectorAll('.segment')].find((each) => each.textContent.includes('${second?.tc_start}'))`;
    await page.evaluate(`${at}.click()`);
    expect(await text('.position')).toBe(second?.tc_start);
    await page.until(`Math.abs(document.querySelector('video').currentTime - ${second?.time_start}) < 0.05`);
    await page.until(
      "document.querySelector('.segment.selected') !== null && document.querySelector('.thumbnail') !== null",
    );
    // A box is drawn where the face is.
    const drawn = await page.evaluate<number>(`(() => {
      const canvas = document.querySelector('canvas.boxes');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return data.filter((value, at) => at % 4 === 3 && value > 0).length;
    })()`);
    expect(drawn).toBeGreaterThan(100);
    if (process.env['ADIT_UPDATE_IMAGES'] === '1') await writeFile(image, await page.screenshot());
    // On by keys: the next appearance, a frame back, and playing.
    await page.evaluate('document.activeElement.blur()');
    await page.press('ArrowUp');
    expect(await text('.position')).not.toBe(second?.tc_start);
    await page.press('l');
    await page.until("!document.querySelector('video').paused && document.querySelector('video').currentTime > 0.3");
    await page.press('k');
    expect(await page.evaluate("document.querySelector('video').paused")).toBe(true);
    await page.evaluate("document.querySelector('[data-tab=files]').click()");
    await page.until(
      "[...document.querySelectorAll('.files button')].some((each) => each.textContent === 'report.html')",
    );
    expect(await page.evaluate('document.querySelector("video").src')).not.toContain(engine.key);
  });

  it('a job that failed says why in words, and is retried once that is put right', async () => {
    const film = join(folder, 'late.mp4');
    await open();
    await engine.api.post({ sources: [film], tag: 'Late news' });
    await says('Late news', 'failed');
    const why = await text('.job.failed .errors');
    expect(why).toContain('The source “late.mp4” cannot be used.');
    expect(why).toContain('Put the file where the job looks for it');
    await copyFile(await manTwice(), film);
    const retry =
      "[...document.querySelectorAll('.job.failed .actions button')].find((each) => each.textContent === 'Retry')";
    await page.evaluate(`${retry}.click()`);
    await says('Late news', 'completed');
    expect(await text('.job .errors')).toBe('');
  });

  it('a film that is no longer there says so, and its timeline works without it', async () => {
    await open();
    const { id } = await engine.api.post({ sources: [join(folder, 'evening.mp4')], tag: 'Taken away' });
    await engine.api.ended(id);
    await rm(join(folder, 'evening.mp4'));
    await page.evaluate(`location.hash = '#/jobs/${id}'`);
    await page.until("document.querySelector('.why-not')?.textContent.startsWith('This source cannot be played here')");
    await page.until("document.querySelector('.lanes canvas')?.width > 0");
    // The timeline is there before what was found.
    await page.until("document.querySelector('.tabs .number') !== null");
    const before = await text('.position');
    await page.press('ArrowDown');
    await page.until(`document.querySelector('.position').textContent !== '${before}'`);
  });

  it('a word leads to its moment: it plays where it is found, and opens there', async () => {
    const film = join(folder, 'council.mp4');
    await copyFile(await manNamed(), film);
    const { id } = await engine.api.post({
      ...{ sources: [film], tag: 'Council', modules: { lower_third_recognition: {} } },
    });
    await engine.api.ended(id);
    await open();
    await page.evaluate('document.querySelector(\'.top nav a[href="#/search"]\').click()');
    await page.until("document.activeElement?.name === 'q'");
    await page.write('written:weiss');
    await page.press('Enter');
    // A job can be searched about a second after it has ended.
    await page.until(`(() => {
      if (document.querySelector('.empty') !== null) document.querySelector('.question [type=submit]').click();
      return document.querySelector('.moment') !== null;
    })()`);
    expect(await text('.moment mark')).toBe('Weiß');
    await page.evaluate("document.querySelector('.moment a').focus()");
    await page.until("document.querySelector('.moment video')?.videoWidth > 0");
    const [segment] = (await engine.api.segments(id)).filter(({ time_start: start }) => start > 5);
    const start = Number(segment?.time_start);
    expect(Math.abs(start - NAMED.from)).toBeLessThan(0.5);
    await page.until(`Math.abs(document.querySelector('.moment video').currentTime - ${start}) < 0.1`);
    expect(await page.evaluate('document.querySelector(".moment video").src')).not.toContain(engine.key);
    await page.press('Enter');
    await page.until("document.querySelector('.one-job h1')?.textContent === 'Council'");
    await page.until(`Math.abs((document.querySelector('video')?.currentTime ?? 0) - ${start}) < 0.1`);
    expect(await text('.position')).toBe(segment?.tc_start);
  });

  it('an unknown face is given a name, which is seen in the job and found in the search', async () => {
    const film = join(folder, 'twice.mp4');
    await copyFile(await manTwice(), film);
    const { id } = await engine.api.post({
      ...{ sources: [film], tag: 'Twice', modules: { face_recognition: { index_unknowns: true } } },
    });
    await engine.api.ended(id);
    await open();
    await page.evaluate('document.querySelector(\'.top nav a[href="#/people"]\').click()');
    await page.until("document.querySelectorAll('.person img').length === 2");
    await page.evaluate("document.querySelector('.naming input').focus()");
    await page.write('Franck Muller');
    await page.press('Enter');
    await page.until("document.querySelector('.notices').textContent.includes('This is Franck Muller now')");
    await page.evaluate("document.querySelector('.person a').click()");
    await page.until("document.querySelector('.person-head h1')?.textContent === 'Franck Muller'");
    // A new name can be searched for about a second later.
    await page.until(`(() => {
      if (document.querySelector('.moment') !== null) return true;
      if (document.querySelector('.where')?.textContent.includes('Nothing is found')) {
        const at = location.hash;
        location.hash = '#/people';
        setTimeout(() => (location.hash = at), 100);
      }
      return false;
    })()`);
    expect(await text('.moment mark')).toBe('Franck');
    await page.evaluate("document.querySelector('.moment a').click()");
    await page.until("document.querySelector('.one-job h1')?.textContent === 'Twice'");
    await page.until("document.querySelector('.labels')?.textContent.includes('Franck Muller')");
    const people = (await engine.api.segments(id)).map(({ meta }) => meta['person']);
    expect(people.filter((person) => person === 'Franck Muller')).toHaveLength(2);
  });
});
