import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accessibilityFaults, BrowserPage, chromium } from '@adit/testing';
import { writeReport } from './write-report.js';
import { sampleInput, sampleSegment } from './sample-input.js';

const program = chromium();
const title = program === null ? ' (skipped: no Chromium on this machine)' : '';
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-report-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** @hardening api: A page in a browser cannot use the API */
(program === null ? describe.skip : describe)(`report.html for axe, in Chromium${title}`, () => {
  it.each([
    ['light', false],
    ['dark', true],
  ])('the page has no faults in the %s theme, whatever the job has become', async (_, dark) => {
    const segments = [
      sampleSegment(),
      sampleSegment({ label: 'Unknown #1' }),
      sampleSegment({ type: 'lower_third', label: 'Jo Weber' }),
    ];
    for (const state of ['completed', 'failed', 'processing'] as const) {
      const job = { state, errors: state === 'failed' ? ['The film could not be read.'] : [] };
      const path = join(folder, `${state}.html`);
      await writeFile(path, writeReport(sampleInput(segments, job)));
      const page = await BrowserPage.open(program as string, pathToFileURL(path).href, { dark });
      try {
        expect([state, await accessibilityFaults(page)]).toEqual([state, []]);
      } finally {
        await page.close();
      }
    }
  });
});
