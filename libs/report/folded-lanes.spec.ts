import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BrowserPage, chromium } from '@adit/testing';
import { sampleInput, sampleSegment } from './sample-input.js';
import { writeReport } from './write-report.js';

const program = chromium();
const title = program === null ? ' (skipped: no Chromium on this machine)' : '';
const [PEOPLE, FIRST] = [60, 24];

let folder: string;
let page: BrowserPage;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-lanes-'));
  // Two appearances each, the first people shown the longest.
  const segments = Array.from({ length: PEOPLE * 2 }, (_, at) =>
    sampleSegment({
      label: `Person ${at % PEOPLE}`,
      timeStart: at / 4,
      timeEnd: at / 4 + 10 - (at % PEOPLE) / 10,
    }),
  );
  await writeFile(join(folder, 'report.html'), writeReport(sampleInput(segments)));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const open = async (): Promise<void> => {
  page = await BrowserPage.open(program as string, pathToFileURL(join(folder, 'report.html')).href);
};
const lanes = () =>
  page.evaluate<string[]>(
    "[...document.querySelectorAll('.timeline .lane:not(.head, .more) .lane-name > span')].map((name) => name.firstChild.textContent)",
  );
const everybody = Array.from({ length: PEOPLE }, (_, at) => `Person ${at}`);

(program === null ? describe.skip : describe)(`lanes that are folded away, in Chromium${title}`, () => {
  it('lanes are built in their place when they are opened', async () => {
    await open();
    try {
      expect(await lanes()).toEqual(everybody.slice(0, FIRST));
      expect(await page.evaluate("document.querySelectorAll('.seg').length")).toBe(2 * FIRST);
      // Whoever is on screen stands out there, too.
      await page.evaluate(`document.querySelector('.seg[data-segment="${PEOPLE}"]').focus()`);
      const on = () => page.evaluate<number>("document.querySelectorAll('.lane.on').length");
      const before = await on();
      await page.evaluate("document.querySelector('.lane.more button').click()");
      expect(await on()).toBeGreaterThan(before);
      expect(await lanes()).toEqual(everybody);
      expect(await page.evaluate("document.querySelector('.lane.more')")).toBeNull();
    } finally {
      await page.close();
    }
  });

  it('lanes are opened by the arrow keys', async () => {
    await open();
    try {
      // Down from the last lane that is built.
      await page.evaluate(`document.querySelector('.seg[data-segment="${FIRST - 1}"]').focus()`);
      await page.press('ArrowDown');
      expect(await page.evaluate('document.activeElement.dataset.segment')).toBe(String(FIRST));
      expect(await lanes()).toEqual(everybody);
    } finally {
      await page.close();
    }
  });

  it('lanes are opened by a row of the table, where the film then is', async () => {
    await open();
    try {
      await page.evaluate(`document.querySelector('tr[data-i="${PEOPLE + 50}"] button').click()`);
      expect(await page.evaluate("document.querySelector('.seg[aria-current]').dataset.segment")).toBe(
        String(PEOPLE + 50),
      );
      const marked = await page.evaluate<string[]>(
        "[...document.querySelectorAll('.lane.on .lane-name > span')].map((name) => name.firstChild.textContent)",
      );
      expect(marked).toContain('Person 50');
    } finally {
      await page.close();
    }
  });
});
