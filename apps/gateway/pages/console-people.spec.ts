/** @needs build, time */
import { readFile } from 'node:fs/promises';
import type { IndexedIdentity } from '@adit/contracts';
import { NeighbourSearches, UnknownFaces } from '@adit/indexes';
import { accessibilityFaults, chromium, sampleMedia, signedIn, type BrowserPage } from '@adit/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../contract/world.js';

const program = chromium();
const title = program === null ? ' (skipped: no Chromium on this machine)' : '';
const PEOPLE = 70;

(program === null ? describe.skip : describe)(`the pages of people in Chromium${title}`, () => {
  let world: World;
  let page: BrowserPage;
  let collection: string;
  let path: string;
  beforeAll(async () => {
    world = await World.start();
  }, 600_000);
  afterEach(() => page?.close());
  afterAll(() => world?.close());

  /** A face index of unknown people, whose address is `#/people/<collection>`; answers their ids. */
  async function unknownPeople(count: number): Promise<string[]> {
    collection = await world.collection();
    path = `/api/v1/index-collection/${encodeURIComponent(collection)}/identities/`;
    const jpeg = await readFile(String(sampleMedia().faces['audrey']));
    const { db, workspaceId } = world.gateway;
    return db.transaction(async (manager) => {
      const faces = new UnknownFaces(manager, workspaceId, new NeighbourSearches());
      const ids: string[] = [];
      for (let at = 0; at < count; at += 1) {
        const embedding = Array.from({ length: count }, (_, axis) => (axis === at ? 1 : 0));
        const picture = at === 1 ? null : { jpeg, width: 100, height: 100 };
        const network = { name: 'face-embedding', digest: 'e'.repeat(64) };
        ids.push(String(await faces.identify({ collection, embedding, maxDistance: 1, picture, network })));
      }
      await faces.flush();
      return ids;
    });
  }
  const named = (id: string, label: string) => world.ask('PUT', `${path}${id}/`, { label });
  const read = async (id: string) => (await world.ask('GET', `${path}${id}/`)).json<IndexedIdentity>();
  const open = async (at = '', options: Parameters<typeof signedIn>[2] & { key?: string } = {}) => {
    const { key = world.gateway.key, ...rest } = options;
    const place = `#/people/${encodeURIComponent(collection)}${at}`;
    page = await signedIn(program as string, { base: world.base, key, at: place }, rest);
  };
  const text = (selector: string) => page.evaluate<string>(`document.querySelector('${selector}')?.textContent ?? ''`);
  const shown = (selector: string) => page.until(`document.querySelector('${selector}') !== null`);
  const count = (selector: string, number: number) =>
    page.until(`document.querySelectorAll('${selector}').length === ${number}`);
  const press = (label: string) =>
    page.evaluate(`[...document.querySelectorAll('button')].find((each) => each.textContent === '${label}').click()`);
  const says = (words: string) => page.until(`document.querySelector('.notices').textContent.includes('${words}')`);

  it('names unknown people one after the other by keys, and undoes it', async () => {
    const [first = '', second = ''] = await unknownPeople(3);
    await open();
    await count('.person', 3);
    await page.until("document.querySelector('.person img')?.naturalWidth > 0");
    await page.evaluate("document.querySelector('.naming input').focus()");
    await page.write('Anna Weber');
    await page.press('Enter');
    await says('This is Anna Weber now');
    // The next one is ready to be named.
    await page.until(`document.activeElement.getAttribute('aria-label') === 'Name of ${second}'`);
    expect(await text('.person .called')).toBe('Anna Weber');
    expect(await read(first)).toMatchObject({ label: 'Anna Weber' });
    await press('Undo');
    await says('It is as it was before');
    await count('.naming', 3);
    expect(await read(first)).toMatchObject({ label: '', merged: [] });
  });

  it('a name that somebody has merges; undone they are two again', async () => {
    const [first = '', second = ''] = await unknownPeople(3);
    await named(first, 'Anna Weber');
    await open();
    await count('.naming', 2);
    await page.evaluate("document.querySelector('.naming input').focus()");
    await page.write('Anna Weber');
    await page.press('Enter');
    await says('Merged into Anna Weber');
    await count('.person', 2);
    expect(await read(first)).toMatchObject({ merged: [second] });
    await press('Undo');
    await count('.person', 3);
    expect([await read(first), await read(second)]).toMatchObject([
      { label: 'Anna Weber', merged: [] },
      { label: '', merged: [] },
    ]);
  });

  it('merges who was selected under one name, and splits one of them off', async () => {
    const [first = '', second = '', third = ''] = await unknownPeople(3);
    await named(third, 'Bob Miller');
    await open();
    await count('.person', 3);
    await page.evaluate("document.querySelectorAll('.person > input').forEach((box) => box.click())");
    await page.until("document.querySelector('.selection')?.textContent.includes('3 selected')");
    await press('Merge …');
    await page.until("document.querySelector('dialog input')?.value === 'Bob Miller'");
    await press('Merge');
    await says('Merged into Bob Miller');
    await count('.person', 1);
    expect((await read(first)).merged.toSorted()).toEqual([first, second].toSorted());
    await page.click('.person a');
    await shown('.merged li');
    await page.click('.merged button');
    await says('is somebody else again');
    await count('.merged li', 1);
    expect((await world.ask('GET', `${path}?named=false`)).json<object[]>()).toHaveLength(1);
    await press('Undo');
    await count('.merged li', 2);
  });

  it('forgets somebody after asking, and shows the receipt', async () => {
    const [first = ''] = await unknownPeople(2);
    await named(first, 'Anna Weber');
    await open(`/${first}`);
    await page.until("document.querySelector('h1')?.textContent === 'Anna Weber'");
    await press('Forget …');
    await shown('dialog[open]');
    await press('Cancel');
    expect(await read(first)).toMatchObject({ label: 'Anna Weber' });
    await press('Forget …');
    await shown('dialog[open]');
    await press('Erase');
    await shown('.receipt');
    await page.until("document.querySelector('dialog [role=status]')?.textContent.startsWith('Nothing is left')");
    expect(await text('.receipt')).toMatch(/^Embeddings1Identities1Pictures of the person1/);
    expect((await world.ask('GET', `${path}${first}/`)).status).toBe(404);
    await page.click('dialog .primary');
    await count('.person', 1);
  });

  it('lists many by pages, and finds by name and by having none', async () => {
    const [first = ''] = await unknownPeople(PEOPLE);
    await named(first, 'Zoë Quartz');
    await open();
    await count('.person', 60);
    await press('Show more');
    await count('.person', PEOPLE);
    await page.evaluate("document.querySelector('.filters input').focus()");
    await page.write('quartz');
    await count('.person', 1);
    expect(await page.evaluate('location.hash')).toBe(`#/people/${encodeURIComponent(collection)}?search=quartz`);
    await page.evaluate(`location.hash = '#/people/${encodeURIComponent(collection)}?named=no'`);
    await page.until(`document.querySelector('.count').textContent === '${PEOPLE - 1} people'`);
    // The field follows another address.
    expect(await page.evaluate("document.querySelector('.filters input').value")).toBe('');
    // Another filter does not lose what was typed just before.
    await page.evaluate("document.querySelector('.filters input').focus()");
    await page.write('quartz');
    await page.evaluate(`(() => {
      const which = document.querySelector('.filters select');
      which.value = 'yes';
      which.dispatchEvent(new Event('change', { bubbles: true }));
    })()`);
    await count('.person', 1);
    expect(await page.evaluate('location.hash.split("?")[1]')).toBe('search=quartz&named=yes');
  });

  it('a list is still there, and at its place, when a person was looked at and named', async () => {
    const [first = ''] = await unknownPeople(PEOPLE);
    await open();
    await count('.person', 60);
    await press('Show more');
    await count('.person', PEOPLE);
    await page.evaluate("document.querySelector('main').scrollTop = 900");
    // The browser tells of it with its next frame.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    await page.evaluate(`location.hash = '#/people/${encodeURIComponent(collection)}/${first}'`);
    await shown('.name-form input');
    await page.evaluate("document.querySelector('.name-form input').focus()");
    await page.write('Anna Weber');
    await page.press('Enter');
    await says('This is Anna Weber now');
    await page.click('.back a');
    await count('.person', PEOPLE);
    expect(await page.evaluate("document.querySelector('main').scrollTop")).toBe(900);
    expect(await text('.person .called')).toBe('Anna Weber');
  });

  it('a reader sees people, and names nobody', async () => {
    const [first = ''] = await unknownPeople(2);
    const made = await world.ask('POST', '/api/v1/api-keys/', { name: 'reader', role: 'reader' });
    await open('', { key: made.json<{ key: string }>().key });
    await count('.person', 2);
    expect(await page.evaluate("document.querySelector('.naming, .person input')")).toBeNull();
    await page.evaluate(`location.hash = '#/people/${encodeURIComponent(collection)}/${first}'`);
    await shown('.person-head .danger');
    await page.click('.person-head .danger');
    await says('reader, which changes nothing');
    expect(await page.evaluate("document.querySelector('dialog, .name-form')")).toBeNull();
  });

  it.each([
    ['light', { dark: false }],
    ['dark', { dark: true }],
    ['dark, as wide as a phone', { dark: true, width: 390 }],
  ])('has no faults for axe: %s', async (_, options) => {
    const [first = '', second = ''] = await unknownPeople(4);
    for (const id of [first, second]) await named(id, 'Anna Weber');
    const faults: string[] = [];
    const look = async (place: string) =>
      faults.push(...(await accessibilityFaults(page)).map((fault) => `${place}: ${fault}`));
    const fits = () => page.evaluate('document.documentElement.scrollWidth <= innerWidth');
    await open('', options);
    await count('.person', 3);
    await page.evaluate("document.querySelectorAll('.person > input').forEach((box) => box.click())");
    await shown('.selection');
    await look('people');
    expect(await fits()).toBe(true);
    await press('Merge …');
    await shown('dialog[open]');
    await look('merge');
    await page.press('Escape');
    await page.click('.person a');
    await shown('.merged li');
    await look('person');
    expect(await fits()).toBe(true);
    await press('Forget …');
    await shown('dialog[open]');
    await look('forget');
    await press('Erase');
    await shown('.receipt');
    await look('receipt');
    expect(faults).toEqual([]);
  });
});
