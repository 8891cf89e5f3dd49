/** @needs build, time */
import { accessibilityFaults, chromium, signedIn, type BrowserPage } from '@adit/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../contract/world.js';

const program = chromium();
const title = program === null ? ' (skipped: no Chromium on this machine)' : '';

(program === null ? describe.skip : describe)(`the page of keys in Chromium${title}`, () => {
  let world: World;
  let page: BrowserPage;
  beforeAll(async () => {
    world = await World.start();
  }, 600_000);
  afterEach(() => page?.close());
  afterAll(() => world?.close());

  const open = async (options: Parameters<typeof signedIn>[2] & { key?: string } = {}) => {
    const { key = world.gateway.key, ...rest } = options;
    page = await signedIn(program as string, { base: world.base, key, at: '#/keys' }, rest);
    await page.until("document.querySelectorAll('.keys-page section').length === 2");
  };
  const shown = (selector: string) => page.until(`document.querySelector('${selector}') !== null`);
  const press = (label: string) =>
    page.evaluate(`[...document.querySelectorAll('button')].find((each) => each.textContent === '${label}').click()`);
  const pressIn = (name: string, label: string) =>
    page.evaluate(`[...document.querySelectorAll('.keys tbody tr')].find((row) => row.textContent.includes('${name}'))
      .querySelectorAll('button')[${label === 'Rotate' ? 0 : 1}].click()`);
  const secret = async (): Promise<string> => {
    await shown('.secret input');
    return page.evaluate<string>("[...document.querySelectorAll('.secret input')].at(-1).value");
  };
  const isGood = async (key: string) =>
    (await world.ask('GET', '/api/v1/me/', undefined, { authorization: `Key ${key}` })).status === 200;

  it('makes a key, shows it once, replaces it and revokes it', async () => {
    await open();
    await press('Make an API key …');
    await page.until("document.activeElement?.name === 'name'");
    await page.write('newsroom');
    await page.press('Enter');
    const key = await secret();
    expect(await isGood(key)).toBe(true);
    // A click beside it does not take it away.
    await page.evaluate("document.querySelector('dialog').dispatchEvent(new MouseEvent('click', { bubbles: true }))");
    expect(await secret()).toBe(key);
    await page.press('Escape');
    expect(await secret()).toBe(key);
    await press('I have kept it');
    await page.until("document.querySelector('dialog') === null");
    expect(await page.evaluate('document.body.outerHTML')).not.toContain(key);
    await page.until("document.querySelector('.keys')?.textContent.includes('newsroom')");
    await pressIn('newsroom', 'Rotate');
    await shown('dialog select');
    await press('Replace');
    const next = await secret();
    expect([next === key, await isGood(next), await isGood(key)]).toEqual([false, true, true]);
    await press('I have kept it');
    const row =
      "[...document.querySelectorAll('.keys tbody tr')].filter((each) => each.textContent.includes('newsroom'))";
    await page.until(`${row}.length === 2`);
    await page.evaluate(
      `${row}.find((each) => !each.textContent.includes('ends')).querySelectorAll('button')[1].click()`,
    );
    await shown('dialog .danger');
    await page.click('dialog .danger');
    await page.until("document.querySelector('.notices').textContent.includes('was revoked')");
    expect(await isGood(next)).toBe(false);
  });

  it('shows the key that replaces its own, even when it is signed out meanwhile', async () => {
    const made = await world.ask('POST', '/api/v1/api-keys/', { name: 'own', role: 'admin' });
    const own = made.json<{ id: string; key: string }>();
    await open({ key: own.key });
    await pressIn('this page', 'Rotate');
    await shown('dialog select');
    expect(await page.evaluate("document.querySelector('dialog select').options[0].textContent")).toBe('for an hour');
    await press('Replace');
    const next = await secret();
    await world.ask('DELETE', `/api/v1/api-keys/${own.id}/`);
    await page.evaluate("location.hash = '#/jobs'");
    await shown('.sign-in');
    expect([await secret(), await isGood(next)]).toEqual([next, true]);
  });

  it('makes an access key with the rights that were chosen', async () => {
    await open();
    await press('Make an access key …');
    await page.until("document.activeElement?.name === 'name'");
    await page.write('editor');
    await page.click('dialog fieldset input', 1);
    await press('Make');
    expect((await secret()).length).toBeGreaterThan(20);
    await press('I have kept it');
    await page.until("document.querySelectorAll('.keys')[1]?.textContent.includes('editor')");
    expect((await world.ask('GET', '/api/v1/access-keys/')).json<object[]>()).toMatchObject([
      { name: 'editor', scopes: ['transcript.read'] },
    ]);
  });

  it('a member is told that the keys are not for it', async () => {
    const made = await world.ask('POST', '/api/v1/api-keys/', { name: 'member', role: 'member' });
    await open({ key: made.json<{ key: string }>().key });
    expect(await page.evaluate("document.querySelector('.keys-page section').textContent")).toContain(
      'shown to keys of the role admin or owner',
    );
    await press('Make an API key …');
    await page.until("document.querySelector('.notices').textContent.includes('the role admin or owner')");
  });

  it.each([
    ['light', { dark: false }],
    ['dark', { dark: true }],
    ['dark, as wide as a phone', { dark: true, width: 390 }],
  ])('has no faults for axe: %s', async (_, options) => {
    await world.accessKey();
    const faults: string[] = [];
    const look = async (place: string) =>
      faults.push(...(await accessibilityFaults(page)).map((fault) => `${place}: ${fault}`));
    await open(options);
    await shown('.keys');
    await look('keys');
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await press('Make an API key …');
    await page.until("document.activeElement?.name === 'name'");
    await look('new key');
    await page.write('short');
    await page.press('Enter');
    await secret();
    await look('secret');
    await press('I have kept it');
    await press('Make an access key …');
    await shown('dialog fieldset');
    await look('new access key');
    expect(faults).toEqual([]);
  });
});
