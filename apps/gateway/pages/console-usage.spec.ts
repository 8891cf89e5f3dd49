/** @needs build, time */
import { randomBytes } from 'node:crypto';
import { StorageEntryEntity, UsageDayEntity } from '@adit/database';
import { accessibilityFaults, chromium, signedIn, type BrowserPage } from '@adit/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../contract/world.js';

const program = chromium();
const title = program === null ? ' (skipped: no Chromium on this machine)' : '';

(program === null ? describe.skip : describe)(`the page of usage and retention in Chromium${title}`, () => {
  let world: World;
  let page: BrowserPage;
  let member: { id: string; key: string };
  beforeAll(async () => {
    world = await World.start();
    const { workspaceId, db } = world.gateway;
    member = (await world.ask('POST', '/api/v1/api-keys/', { name: 'editors', role: 'member' })).json();
    const row = (day: string, moduleId: string, keyId: string, seconds: number) => ({
      ...{ workspaceId, day, moduleId, keyId },
      ...{ mediaSeconds: 60 * seconds, chunkSeconds: 2 * seconds, cpuSeconds: seconds, gpuSeconds: 0 },
    });
    await db.manager.insert(UsageDayEntity, [
      row('2026-11-01', 'face_recognition', member.id, 10),
      row('2026-11-02', 'face_recognition', '', 20),
      row('2026-11-02', 'speech_recognition', '31b8a6e2-0000-4000-8000-000000000000', 30),
    ]);
  }, 600_000);
  afterEach(() => page?.close());
  afterAll(() => world?.close());

  const AT = '#/usage?from=2026-11-01&to=2026-11-30';
  const open = async (options: Parameters<typeof signedIn>[2] & { key?: string; at?: string } = {}) => {
    const { key = world.gateway.key, at = AT, ...rest } = options;
    page = await signedIn(program as string, { base: world.base, key, at }, rest);
    await page.until("document.querySelector('.lifetimes') !== null");
  };
  const says = (text: string) => page.until(`document.body.textContent.includes(${JSON.stringify(text)})`);
  const rows = () =>
    page.evaluate<string[][]>(
      "[...document.querySelectorAll('table.usage tbody tr, table.usage tfoot tr')].map((row) => [...row.children].map((cell) => cell.textContent))",
    );
  const choose = (name: string, value: string) =>
    page.evaluate(`((field) => {
      field.value = ${JSON.stringify(value)};
      field.dispatchEvent(new Event('change', { bubbles: true }));
      field.dispatchEvent(new Event('input', { bubbles: true }));
    })(document.querySelector('[name="${name}"]'))`);
  const press = (label: string) =>
    page.until(
      `((button) => { button.click(); return true; })([...document.querySelectorAll('button')].find((each) => each.textContent === '${label}'))`,
    );

  it('shows what analyses took by day, module and key, and saves it as CSV', async () => {
    await open();
    await page.until("document.querySelectorAll('.chart .bar').length === 30");
    expect(await rows()).toEqual([
      ['Nov 1, 2026', '10 min', '20 s', '10 s', '0 s'],
      ['Nov 2, 2026', '50 min', '1 min 40 s', '50 s', '0 s'],
      ['Sum', '1 h', '2 min', '1 min', '0 s'],
    ]);
    const heights = await page.evaluate<number[]>(
      "[...document.querySelectorAll('.chart .bar')].map((bar) => Number(bar.getAttribute('height')))",
    );
    expect([heights[0], heights[1], ...new Set(heights.slice(2))]).toEqual([20, 100, 0]);
    expect(await page.evaluate("document.querySelector('.chart svg').getAttribute('aria-label')")).toBe(
      'Media by day from Nov 1, 2026 to Nov 30, 2026: 1 h in all, at most 50 min on a day',
    );
    await choose('by', 'key');
    await says('deleted key 31b8a6e2');
    expect((await rows()).map(([name]) => name).sort()).toEqual(
      ['Sum', 'deleted key 31b8a6e2-0000-4000-8000-000000000000', 'editors', 'not known'].sort(),
    );
    await choose('by', 'module');
    await page.until("document.querySelector('table.usage tbody')?.textContent.includes('Speech')");
    expect(await page.evaluate('location.hash')).toBe('#/usage?from=2026-11-01&to=2026-11-30&by=module');
    await choose('to', '2026-11-01');
    await page.until("document.querySelectorAll('.chart .bar').length === 1");
    // What the browser is given to keep is what the service answers.
    await page.evaluate(`(() => {
      const make = URL.createObjectURL;
      URL.createObjectURL = (blob) => { window.saved = blob.text(); return make(blob); };
    })()`);
    await press('Save as CSV');
    await page.until('window.saved !== undefined');
    const csv = await page.evaluate<string>('window.saved');
    expect(csv.trim().split(/\r?\n/)).toHaveLength(2);
    expect(csv).toContain(`2026-11-01,face_recognition,${member.id},editors,600,20,10,0`);
  });

  it('says what is wrong with the days, and that there is nothing', async () => {
    await open({ at: '#/usage?from=2026-11-30&to=2026-11-01' });
    await says('is after');
    await choose('from', '2026-10-01');
    await choose('to', '2026-10-02');
    await says('Nothing was analysed in these days.');
  });

  it('an admin changes how long what is kept, and back', async () => {
    await open();
    const row = "document.querySelectorAll('.lifetimes tbody tr')[1]";
    const kept = async () =>
      (await world.ask('GET', '/api/v1/retention/')).json<Record<'results' | 'uploads', number | null>>();
    await world.ask('PUT', '/api/v1/retention/', { uploads: 86_400 });
    await page.evaluate(`${row}.querySelector('button').click()`);
    await page.until("document.querySelector('dialog') !== null");
    await page.click('dialog input[name=own]', 1);
    await page.until("document.querySelector('[name=amount]') !== null");
    await choose('amount', '90');
    await choose('unit', 'days');
    await page.click('dialog [type=submit]');
    await page.until(`${row}.textContent.includes('90 days')`);
    // What somebody else has changed meanwhile stays.
    expect(await kept()).toMatchObject({ results: 90 * 86_400, uploads: 86_400 });
    await page.evaluate(`${row}.querySelector('button').click()`);
    await page.until("document.querySelector('[name=amount]')?.value === '90'");
    await choose('unit', 'years');
    await page.click('dialog [type=submit]');
    // The form holds it back: fifty years are the most.
    expect(await page.evaluate("document.querySelector('[name=amount]').validity.rangeOverflow")).toBe(true);
    await page.click('dialog input[name=own]');
    await page.until("document.querySelector('[name=amount]') === null");
    await page.click('dialog [type=submit]');
    await page.until(`${row}.textContent.includes('as the installation')`);
    expect(await kept()).toMatchObject({ results: null, uploads: 86_400 });
    await world.ask('PUT', '/api/v1/retention/', {});
  });

  it('holds a tag and lifts the hold', async () => {
    await open();
    const held = async () => (await world.ask('GET', '/api/v1/retention/holds/')).json<{ tags: string[] }>().tags;
    await page.evaluate("document.querySelector('[name=tag]').focus()");
    await page.write('case 4711/a');
    await page.press('Enter');
    await page.until("document.querySelector('.tags')?.textContent.includes('case 4711/a')");
    expect(await held()).toEqual(['case 4711/a']);
    await page.click('.tags button');
    await page.click('dialog .danger');
    await page.until("document.querySelectorAll('.tags li').length === 0");
    expect(await held()).toEqual([]);
  });

  it('shows what goes within a day', async () => {
    const { workspaceId, db } = world.gateway;
    const hours = (ago: number): Date => new Date(Date.now() - ago * 3_600_000);
    const upload = (name: string, ago: number) => ({
      ...{ workspaceId, folder: '/', name, isFolder: false, uploaded: true, timeUploaded: hours(ago) },
      ...{ key: randomBytes(10).toString('hex'), contentType: 'text/plain', size: '1', uploadLength: '1' },
    });
    await db.manager.insert(StorageEntryEntity, [upload('soon.txt', 30), upload('later.txt', 1)]);
    await world.ask('PUT', '/api/v1/retention/', { uploads: 48 * 3_600 });
    await open();
    await page.until("document.querySelector('.upcoming table')?.textContent.includes('soon.txt')");
    expect(await page.evaluate("document.querySelector('.upcoming table').textContent")).not.toContain('later.txt');
    await world.ask('PUT', '/api/v1/retention/', {});
  });

  it('a member sees it, changes nothing and is told why', async () => {
    await open({ key: member.key });
    await page.until("document.querySelector('table.usage') !== null");
    await page.click('.lifetimes button');
    await page.until("document.querySelector('.notices').textContent.includes('role admin or owner')");
    expect(await page.evaluate("document.querySelector('dialog')")).toBe(null);
    await page.evaluate("document.querySelector('[name=tag]').focus()");
    await page.write('case 1');
    await page.press('Enter');
    await press('Hold');
    expect((await world.ask('GET', '/api/v1/retention/holds/')).json()).toEqual({ tags: [] });
  });

  it('says it in German', async () => {
    await open({ language: 'de' });
    await page.until("document.querySelector('h1').textContent === 'Nutzung und Aufbewahrung'");
    await says('Zwischengespeicherte Beobachtungen');
  });

  it.each([
    ['light', { dark: false }],
    ['dark', { dark: true }],
    ['dark, as wide as a phone', { dark: true, width: 390 }],
  ])('has no faults for axe: %s', async (_, options) => {
    await world.ask('POST', '/api/v1/retention/holds/', { tag: 'case 4711' });
    const faults: string[] = [];
    const look = async (place: string) =>
      faults.push(...(await accessibilityFaults(page)).map((fault) => `${place}: ${fault}`));
    await open(options);
    await page.until("document.querySelector('table.usage') !== null && document.querySelector('.tags li') !== null");
    await look('usage');
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.click('.lifetimes button');
    await page.click('dialog input[name=own]', 1);
    await page.until("document.querySelector('[name=amount]') !== null");
    await look('lifetime');
    expect(faults).toEqual([]);
  });
});
