/** @needs build, time */
import type { SavedSearch, Webhook } from '@adit/contracts';
import { inTransaction } from '@adit/database';
import { accessibilityFaults, chromium, signedIn, type BrowserPage } from '@adit/testing';
import { raiseResourceEvents } from '@adit/webhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { World } from '../contract/world.js';
import { archived, said } from './testing/archive.js';

const program = chromium();
const title = program === null ? ' (skipped: no Chromium on this machine)' : '';

(program === null ? describe.skip : describe)(`saved searches in Chromium${title}`, () => {
  let world: World;
  let page: BrowserPage;
  let evening: string;
  beforeAll(async () => {
    world = await World.start();
    evening = await archived(world, { name: 'evening.mp4', found: [said('The annual budget of the city', 63.2)] });
    await archived(world, { name: 'morning.mp4', found: [said('No budget today', 5), said('The budget again', 9)] });
  }, 600_000);
  beforeEach(async () => {
    for (const { id } of await saved()) await world.ask('DELETE', `/api/v1/searches/${id}/`);
  });
  afterEach(() => page?.close());
  afterAll(() => world?.close());

  const saved = async () => (await world.ask('GET', '/api/v1/searches/')).json<{ data: SavedSearch[] }>().data;
  const keep = async (body: object) => (await world.ask('POST', '/api/v1/searches/', body)).json<SavedSearch>();
  const open = async (at: string, options: Parameters<typeof signedIn>[2] & { key?: string } = {}) => {
    const { key = world.gateway.key, ...rest } = options;
    page = await signedIn(program as string, { base: world.base, key, at }, rest);
    await page.click('.saved-panel summary');
    await page.until("document.querySelector('.saved') !== null");
  };
  const count = (selector: string, number: number) =>
    page.until(`document.querySelectorAll('${selector}').length === ${number}`);
  const press = (label: string) =>
    page.until(
      `((button) => button !== undefined && (button.click(), true))([...document.querySelectorAll('button')].find((each) => each.textContent === '${label}'))`,
    );
  const says = (words: string) => page.until(`document.querySelector('.notices').textContent.includes('${words}')`);
  const fill = (name: string, value: string) =>
    page.until(`((field) => {
      if (field === null) return false;
      field.value = ${JSON.stringify(value)};
      field.dispatchEvent(new Event('input', { bubbles: true }));
      return true;
    })(document.querySelector('dialog [name=${name}]'))`);
  /** Tells of a match as the aggregator does. */
  const raise = async ({ id, name }: SavedSearch, number: number) => {
    const { db, workspaceId } = world.gateway;
    const match = { number, module: 'speech_recognition', type: 'speech', source_index: 0 };
    const matches = [{ ...match, time_start: 63.2, time_end: 65.2, exact: true }];
    const data = { search: { id, name }, job_id: evening, matches };
    const event = { event: 'svc.search.on_match' as const, id, data };
    await inTransaction(db, (manager) =>
      raiseResourceEvents(manager, { id: evening, workspaceId, jobId: evening }, [event]),
    );
  };

  it('the present question is saved, renamed, opened and deleted; undone it is there again', async () => {
    await open('#/search?q=budget&tag=');
    await press('Save this search …');
    await fill('name', 'Money');
    await press('Save');
    await says('“Money” was saved');
    await count('.saved-searches > li', 1);
    expect(await saved()).toMatchObject([{ name: 'Money', q: 'budget', alert: true }]);
    await press('Rename …');
    await fill('name', 'Budget');
    await page.click('dialog [name=alert]');
    await press('Save');
    await page.until("document.querySelector('.saved-searches a')?.textContent === 'Budget'");
    expect(await saved()).toMatchObject([{ name: 'Budget', q: 'budget', alert: false }]);
    await page.evaluate("void (location.hash = '#/search?q=nothing')");
    await page.click('.saved-searches a');
    await page.until("location.hash === '#/search?q=budget'");
    await press('Delete');
    await says('“Budget” was deleted');
    await count('.saved-searches > li', 0);
    await press('Undo');
    await count('.saved-searches > li', 1);
    expect(await saved()).toMatchObject([{ name: 'Budget', q: 'budget', alert: false }]);
  });

  it('new matches are counted while the page is open, and lead to their moments', async () => {
    const search = await keep({ name: 'Budget', q: 'budget' });
    await open('#/search');
    await count('.saved-searches > li', 1);
    await raise(search, 0);
    await page.until("document.querySelector('.fresh')?.textContent === '1 new'");
    await press('Newest matches');
    await page.until("document.querySelector('.newest a')?.textContent === 'evening.mp4'");
    await raise(search, 0);
    await count('.newest li', 2);
    await page.click('.moment-link');
    await page.until(`location.hash === '#/jobs/${evening}?t=63.2'`);
  });

  it('a webhook is told of matches, and no more when it is removed', async () => {
    await keep({ name: 'Budget', q: 'budget' });
    await open('#/search');
    await press('Tell a webhook …');
    await fill('url', 'https://newsroom.example.org/matches');
    await press('Add');
    await says('told from now on');
    const webhooks = async () =>
      (await world.ask('GET', '/api/v1/webhooks/'))
        .json<Webhook[]>()
        .filter(({ url }) => url === 'https://newsroom.example.org/matches');
    expect(await webhooks()).toMatchObject([
      { event: 'svc.search.on_match', enabled: true, hmac_secret: expect.stringMatching(/^whsec_.{32}$/) },
    ]);
    await page.click('[aria-label="Do not tell https://newsroom.example.org/matches any more"]');
    await says('told no more');
    expect(await webhooks()).toEqual([]);
  });

  it('an open question is not saved, and a reader is told why not', async () => {
    await keep({ name: 'Budget', q: 'budget' });
    await open('#/search');
    await press('Save this search …');
    await says('Ask for something first');
    await page.close();
    const made = await world.ask('POST', '/api/v1/api-keys/', { name: 'reader', role: 'reader' });
    await open('#/search?q=budget', { key: made.json<{ key: string }>().key });
    for (const label of ['Save this search …', 'Rename …', 'Delete', 'Tell a webhook …']) {
      await press(label);
      await says('reader, which changes nothing');
      await page.click('.notices .plain');
    }
    expect((await saved()).length).toBe(1);
  });

  it('a result leads to its job by the facet of jobs', async () => {
    await open('#/search?q=budget');
    await count('.facets [aria-label=Job] li', 2);
    await page.until(
      "document.querySelector('.facets [aria-label=Job] li .facet span')?.textContent === 'morning.mp4'",
    );
    await page.click('.facets [aria-label=Job] .facet');
    await count('.moment', 2);
    await page.click('.chip');
    await count('.facets [aria-label=Job] li', 2);
    await page.click('.facets [aria-label="Open the job of evening.mp4"]');
    await page.until(`location.hash === '#/jobs/${evening}'`);
  });

  it.each([
    ['light', { dark: false }],
    ['dark', { dark: true }],
    ['dark, as wide as a phone, in German', { dark: true, width: 390, language: 'de' }],
  ])('has no faults for axe: %s', async (_, options) => {
    const search = await keep({ name: 'Budget of the whole city and of all that belongs to it', q: 'budget' });
    await raise(search, 0);
    await open('#/search?q=budget', options);
    await page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))");
    await page.click('.saved-searches .actions button');
    await page.until("document.querySelector('.newest a') !== null");
    const faults = (await accessibilityFaults(page)).map((fault) => `panel: ${fault}`);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.click('.saved > .actions button');
    await page.until("document.querySelector('dialog[open]') !== null");
    faults.push(...(await accessibilityFaults(page)).map((fault) => `save: ${fault}`));
    expect(faults).toEqual([]);
  });
});
