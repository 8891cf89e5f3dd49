/** @needs build, time */
import { JobEntity } from '@adit/database';
import { chromium, signedIn, type BrowserPage } from '@adit/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../contract/world.js';

const program = chromium();
const title = program === null ? ' (skipped: no Chromium on this machine)' : '';

(program === null ? describe.skip : describe)(`the filters of jobs in Chromium${title}`, () => {
  let world: World;
  let page: BrowserPage;
  beforeAll(async () => {
    world = await World.start();
    for (const [tag, state] of [
      ['evening', 'completed'],
      ['evening', 'failed'],
      ['morning', 'failed'],
    ] as const) {
      const ended = { state, tag, timeStarted: new Date(), timeCompleted: new Date() };
      await world.gateway.db.manager.update(JobEntity, { id: await world.filmJob() }, ended);
    }
  }, 600_000);
  afterEach(() => page?.close());
  afterAll(() => world?.close());

  const open = async (at: string) => {
    page = await signedIn(program as string, { base: world.base, key: world.gateway.key, at });
  };
  const count = (number: number) => page.until(`document.querySelectorAll('.rows .job').length === ${number}`);
  const hash = () => page.evaluate<string>('location.hash');
  const field = "document.querySelector('.filters input')";
  const choose = (state: string) =>
    page.evaluate(`(() => {
      const which = document.querySelector('.filters select');
      which.value = '${state}';
      which.dispatchEvent(new Event('change', { bubbles: true }));
    })()`);

  it('what is typed and what is chosen right after it both hold', async () => {
    await open('#/jobs');
    await count(3);
    await page.evaluate(`${field}.focus()`);
    await page.write('evening');
    await choose('failed');
    await count(1);
    // Also when the wait for another letter is over.
    await page.evaluate('new Promise((done) => setTimeout(done, 500))');
    expect(await hash()).toBe('#/jobs?state=failed&search=evening');
    await count(1);
  });

  it('letters that are typed while an address is led to stay', async () => {
    await open('#/jobs');
    await count(3);
    await page.evaluate(`${field}.focus()`);
    for (const letter of 'evening') {
      await page.press(letter);
      // About as long as the page waits, so that it leads somewhere between two letters.
      await page.evaluate('new Promise((done) => setTimeout(done, 290))');
    }
    await count(2);
    expect([await page.evaluate(`${field}.value`), await hash()]).toEqual(['evening', '#/jobs?search=evening']);
  });

  it('the field follows another address', async () => {
    await open('#/jobs?search=evening');
    await count(2);
    await page.evaluate("void (location.hash = '#/jobs?search=morning')");
    await count(1);
    expect(await page.evaluate(`${field}.value`)).toBe('morning');
    await page.evaluate("void (location.hash = '#/jobs')");
    await count(3);
    await page.evaluate('new Promise((done) => setTimeout(done, 500))');
    expect([await page.evaluate(`${field}.value`), await hash()]).toEqual(['', '#/jobs']);
  });
});
