/** @needs build, time */
import { LiveProcess } from '@adit/leases';
import { health } from '@adit/runtime';
import { accessibilityFaults, chromium, signedIn, type BrowserPage } from '@adit/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../contract/world.js';

const program = chromium();
const title = program === null ? ' (skipped: no Chromium on this machine)' : '';

(program === null ? describe.skip : describe)(`the page of health in Chromium${title}`, () => {
  let world: World;
  let page: BrowserPage;
  beforeAll(async () => {
    world = await World.start();
    await world.gateway.db.query(
      `INSERT INTO disk_uses (kind, bytes, objects, time_measured, time_due) VALUES ('uploads', 1500000000, 3, now(), now())`,
    );
  }, 600_000);
  afterEach(() => page?.close());
  afterAll(() => world?.close());

  const open = async (options: Parameters<typeof signedIn>[2] & { key?: string } = {}) => {
    const { key = world.gateway.key, ...rest } = options;
    page = await signedIn(program as string, { base: world.base, key, at: '#/health' }, rest);
  };
  const has = (selector: string, words: string) =>
    page.until(`document.querySelector('${selector}')?.textContent.includes(${JSON.stringify(words)})`);
  const keyOf = async (role: string) =>
    (await world.ask('POST', '/api/v1/api-keys/', { name: role, role })).json<{ key: string }>().key;

  it('says what runs, what is wrong and what to do, and when that is put right', async () => {
    await open();
    await has('.problems', 'The service “decoder” shows no sign of life');
    await has('.health-page', 'Uploaded files');
    await has('.health-page', '1.5 GB');
    const mended = health.register('bucket', () => Promise.reject(new Error('no route to host')));
    try {
      await has('.problems', '“bucket” cannot be used');
      await has('.health-page', 'no route to host');
    } finally {
      mended();
    }
    const processes = ['aggregator', 'decoder', 'notifier', 'inference-face'].map(
      (service) => new LiveProcess(world.gateway.db, { service, version: '0.0.1' }),
    );
    for (const each of processes) each.onApplicationBootstrap();
    await has('.problems', 'Several releases run');
    for (const each of processes) await each.idle();
    for (const each of processes) await each.onApplicationShutdown();
    await has('.problems', 'The service “aggregator” shows no sign of life');
  });

  it('an admin sees its workspace, and a reader why it sees nothing', async () => {
    await open({ key: await keyOf('admin') });
    await has('.health-page', 'This workspace');
    await has('.health-page', 'keys of the role owner see them');
    expect(await page.evaluate("document.querySelector('[aria-label=Queues]')")).toBeNull();
    await page.close();
    await open({ key: await keyOf('reader') });
    await has('.health-page .empty', 'shown to keys of the role admin or owner');
  });

  it.each([
    ['light', { dark: false }],
    ['dark', { dark: true }],
    ['dark, in German, as wide as a phone', { dark: true, width: 390, language: 'de' }],
  ])('has no faults for axe: %s', async (_, options) => {
    await open(options);
    await page.until("document.querySelectorAll('.health-page .part').length > 5");
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});
