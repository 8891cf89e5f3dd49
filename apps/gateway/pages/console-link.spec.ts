/** @needs build */
import { BrowserPage, chromium } from '@adit/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../contract/world.js';
import { SignInCodes } from './sign-in-codes.js';

const program = chromium();
const title = program === null ? ' (skipped: no Chromium on this machine)' : '';

(program === null ? describe.skip : describe)(`a link that signs in, in Chromium${title}`, () => {
  let world: World;
  let page: BrowserPage;
  beforeAll(async () => {
    world = await World.start();
  }, 600_000);
  afterEach(() => page?.close());
  afterAll(() => world?.close());
  const shown = (selector: string) => page.until(`document.querySelector('${selector}') !== null`);

  it('a link of the terminal signs in once, and is gone from the address', async () => {
    const code = world.gateway.app.get(SignInCodes).offer(world.gateway.key);
    const link = `${world.base}/console/#/sign-in?code=${code}`;
    page = await BrowserPage.open(program as string, link);
    await shown('.jobs');
    expect(await page.evaluate('location.hash')).toBe('#/jobs');
    // The tab stays signed in: the link cannot be used again.
    await page.reload();
    await shown('.jobs');
    await page.close();
    page = await BrowserPage.open(program as string, link);
    await page.until("document.querySelector('[role=alert]')?.textContent.includes('used up or too old')");
    expect(await page.evaluate('location.hash')).toBe('#/jobs');
  });

  it('a used link says so in a tab that asks for a key already', async () => {
    page = await BrowserPage.open(program as string, `${world.base}/console/`);
    await shown('.sign-in');
    expect(await page.evaluate("document.querySelector('[role=alert]')")).toBeNull();
    await page.evaluate("location.hash = '#/sign-in?code=used'");
    await page.until("document.querySelector('[role=alert]')?.textContent.includes('used up or too old')");
  });
});
