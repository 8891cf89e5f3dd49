/** @needs build */
import { accessibilityFaults, chromium, signedIn, type BrowserPage } from '@adit/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExportEntity } from '@adit/database';
import { World } from '../contract/world.js';
import { archived, named, said, shown, storedPicture } from './testing/archive.js';

const program = chromium();
const title = program === null ? ' (skipped: no Chromium on this machine)' : '';
/** Moments of one film, more than a page of answers holds. */
const MANY = 120;

(program === null ? describe.skip : describe)(`the search page in Chromium${title}`, () => {
  let world: World;
  let page: BrowserPage;
  let evening: string;
  beforeAll(async () => {
    world = await World.start();
    const picture = await storedPicture(world);
    evening = await archived(world, {
      ...{ name: 'evening.mp4', tag: 'Evening news' },
      found: [
        shown('Anna Weber', 4, picture),
        said('The annual budget of the city is decided today, and everybody has come', 63.2),
        named('Anna Weber, mayor', 5),
      ],
    });
    const lines = Array.from({ length: MANY }, (_, at) => said(`Line ${at} of the zebrafinch report`, at));
    await archived(world, { name: 'long.mp4', tag: 'Archive', found: lines });
  }, 600_000);
  afterEach(() => page?.close());
  afterAll(() => world?.close());

  const open = async (at: string, options: Parameters<typeof signedIn>[2] = {}) => {
    page = await signedIn(program as string, { base: world.base, key: world.gateway.key, at }, options);
  };
  const text = (selector: string) => page.evaluate<string>(`document.querySelector('${selector}')?.textContent ?? ''`);
  const texts = (selector: string) =>
    page.evaluate<string[]>(`[...document.querySelectorAll('${selector}')].map((each) => each.textContent)`);
  const count = (selector: string, number: number) =>
    page.until(`document.querySelectorAll('${selector}').length === ${number}`);

  it('a word leads to its moment: asked by keys, marked where it is said, and opened at that time', async () => {
    await open('#/search');
    await page.until("document.activeElement?.name === 'q'");
    await page.write('said:budgets');
    await page.press('Enter');
    await count('.moment', 1);
    expect(await page.evaluate('location.hash')).toBe('#/search?q=said%3Abudgets');
    expect([await texts('.moment mark'), await text('.moment .tc')]).toEqual([['budget'], '00:01:03:05']);
    expect(await text('.moment-group h2')).toBe('evening.mp4');
    for (let presses = 0; presses < 20; presses += 1) {
      if (await page.evaluate("document.activeElement.matches('.moment a')")) break;
      await page.press('Tab');
    }
    await page.press('Enter');
    await page.until("document.querySelector('.one-job h1')?.textContent === 'Evening news'");
    expect(await page.evaluate('location.hash')).toBe(`#/jobs/${evening}?t=63.2`);
    await page.until("document.querySelector('.position')?.textContent.startsWith('00:01:03')");
    // Back are the same answers, of which nothing is asked for again.
    await page.evaluate('performance.clearResourceTimings()');
    await page.evaluate('history.back()');
    await count('.moment', 1);
    const asked = await page.evaluate<string[]>("performance.getEntriesByType('resource').map(({ name }) => name)");
    expect(asked.filter((name) => name.includes('/v1/search/'))).toEqual([]);
  });

  it('an address that was shared asks the same; answers are by source, and filters narrow them', async () => {
    await open('#/search?q=%22anna+weber%22');
    await count('.moment', 2);
    expect(await texts('.moment-group h2')).toEqual(['evening.mp4']);
    // In order of time, each with what kind of result it is.
    expect(await texts('.moment .tc')).toEqual(['00:00:04:00', '00:00:05:00']);
    await page.until("document.querySelector('.moment img')?.naturalWidth > 0");
    const facet = (name: string) =>
      `[...document.querySelectorAll('.facet')].find((each) => each.firstChild.textContent === '${name}')`;
    await page.evaluate(`${facet('People')}.click()`);
    await count('.moment', 1);
    expect(await page.evaluate('location.hash')).toBe('#/search?q=%22anna+weber%22&module=face_recognition');
    await page.click('.chip');
    await count('.moment', 2);
  });

  it('goes on by a cursor until all was read', async () => {
    await open('#/search?q=zebrafinch');
    await page.until(`document.querySelector('[role=status]').textContent === '${MANY} moments'`);
    const more = "document.querySelector('.found-moments > .more')";
    for (const loaded of [50, 100, MANY]) {
      await page.until(`document.querySelector('.moment-group small').textContent.includes('${loaded} moments')`);
      if (loaded < MANY) await page.evaluate(`${more}.click()`);
    }
    expect(await page.evaluate(`${more} === null`)).toBe(true);
    // A source shows few at first.
    await count('.moment', 8);
    await page.click('.moment-group > button');
    await count('.moment', MANY);
    await page.evaluate("document.querySelector('.moment a').focus()");
    await page.press('End');
    expect(await page.evaluate("document.activeElement.querySelector('.what').textContent")).toContain(
      `Line ${MANY - 1}`,
    );
  });

  it('what was found is exported for editing, and downloaded when it is written', async () => {
    await open('#/search?q=said%3Abudgets');
    await count('.moment', 1);
    await page.click('.summary button');
    await page.until("document.querySelector('dialog select') !== null");
    await page.evaluate(`{
      const select = document.querySelector('dialog select');
      select.value = 'otio';
      select.dispatchEvent(new Event('change', { bubbles: true }));
      URL.createObjectURL = (blob) => (window.saved = blob, 'about:blank');
      HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; };
    }`);
    await page.click('dialog button[type=submit]');
    // Exports are written by an aggregator, which is not here.
    const { manager } = world.gateway.db;
    const where = { strategy: 'segments_export' as const };
    let row = await manager.findOneBy(ExportEntity, where);
    for (const end = Date.now() + 10_000; row === null && Date.now() < end; await sleep(50))
      row = await manager.findOneBy(ExportEntity, where);
    expect(row?.config).toEqual({ search: { q: 'said:budgets' }, format: 'otio', handles: 0 });
    await world.exportFile(row?.id ?? '');
    await manager.update(ExportEntity, where, { state: 'completed' });
    await page.until("window.savedAs === 'results.json'");
    expect(await page.evaluate("document.querySelector('dialog')")).toBeNull();
  });

  it('answers go when the next question fails', async () => {
    await open('#/search?q=weber');
    await page.until("document.querySelector('.moment') !== null");
    await page.evaluate("location.hash = '#/search?q=weber&job=none'");
    await page.until("document.querySelector('.found-moments .fault') !== null");
    expect(await page.evaluate("document.querySelector('.moment')")).toBeNull();
  });

  it('a mistake is marked where it is, in the language of the page', async () => {
    await open('#/search?q=who%3Aanna+%22open', { language: 'de' });
    await page.until("document.querySelector('.mistake mark')?.textContent === '\"'");
    expect(await text('.mistake')).toContain('Bei Zeichen 10: Das Anführungszeichen wird nie geschlossen.');
    expect(await page.evaluate("document.querySelector('[name=q]').selectionStart")).toBe(9);
    expect(await page.evaluate("document.querySelector('.empty')")).toBeNull();
  });

  it.each([
    ['light', { dark: false }],
    ['dark', { dark: true }],
    ['dark, as wide as a phone', { dark: true, width: 390 }],
  ])('has no faults for axe: %s', async (_, options) => {
    const faults: string[] = [];
    const look = async (place: string) =>
      faults.push(...(await accessibilityFaults(page)).map((fault) => `${place}: ${fault}`));
    await open('#/search?q=weber+OR+zebra&tag=Evening+news', options);
    await count('.moment', 2);
    await page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))");
    await look('answers');
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.click('.summary button');
    await page.until("document.querySelector('dialog select') !== null");
    await look('export');
    await page.press('Escape');
    await page.evaluate("location.hash = '#/search?q=%28'");
    await page.until("document.querySelector('.mistake') !== null");
    await look('mistake');
    await page.evaluate("location.hash = '#/search?q=nosuchwordanywhere'");
    await page.until("document.querySelector('.empty') !== null");
    await look('nothing');
    expect(faults).toEqual([]);
  });
});
