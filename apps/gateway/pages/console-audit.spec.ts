/** @needs build, time */
import { AuditEntryEntity } from '@adit/database';
import { accessibilityFaults, chromium, signedIn, type BrowserPage } from '@adit/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../contract/world.js';

const program = chromium();
const title = program === null ? ' (skipped: no Chromium on this machine)' : '';
/** More than a page. */
const OLD = 130;

(program === null ? describe.skip : describe)(`the page of the audit log in Chromium${title}`, () => {
  let world: World;
  let page: BrowserPage;
  let other: { id: string; key: string };
  beforeAll(async () => {
    world = await World.start();
    const { workspaceId, db } = world.gateway;
    // Changes of a key that is gone, in March.
    const lines = Array.from({ length: OLD }, (_, at) => ({
      ...{ workspaceId, time: new Date(2026, 2, 10, 12, 0, at), actorKind: 'api-key' as const },
      ...{ actorId: '5d0f4c1e-7a52-4a0e-9a43-0f2d8a1b6c11', actorName: 'a key that is gone' },
      ...{ action: 'stop', resource: 'jobs', resourceId: `job ${at}`, fields: [], requestId: `request ${at}` },
    }));
    await db.manager.insert(AuditEntryEntity, lines);
    other = (await world.ask('POST', '/api/v1/api-keys/', { name: 'other admin', role: 'admin' })).json();
    const asOther = { authorization: `Key ${other.key}` };
    await world.ask('POST', '/api/v1/batches/', { name: 'Election night' }, asOther);
    await world.ask('PUT', '/api/v1/retention/', { uploads: 86_400 }, asOther);
    const until = Date.now() + 30_000;
    const total = async () =>
      (await world.ask('GET', `/api/v1/audit-log/?actor_id=${other.id}`)).json<{ total: number }>().total;
    while ((await total()) < 2 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 100));
  }, 600_000);
  afterEach(() => page?.close());
  afterAll(() => world?.close());

  const open = async (at = '#/audit', options: Parameters<typeof signedIn>[2] & { key?: string } = {}) => {
    const { key = world.gateway.key, ...rest } = options;
    page = await signedIn(program as string, { base: world.base, key, at }, rest);
    await page.until("document.querySelector('.page.audit') !== null");
  };
  const rows = () =>
    page.evaluate<string[]>("[...document.querySelectorAll('.trail tbody tr')].map((row) => row.textContent)");
  const counts = (count: number) => page.until(`document.querySelectorAll('.trail tbody tr').length === ${count}`);
  const choose = (name: string, value: string) =>
    page.evaluate(`((field) => {
      field.value = ${JSON.stringify(value)};
      field.dispatchEvent(new Event('change', { bubbles: true }));
    })(document.querySelector('[name="${name}"]'))`);

  it('shows every change, newest first, page after page', async () => {
    await open();
    await counts(100);
    const [newest = ''] = await rows();
    expect(newest).toContain('other admin');
    expect(newest).toContain('replaced');
    expect(newest).toContain('retention');
    expect(newest).toContain('uploads');
    const total = (await world.ask('GET', '/api/v1/audit-log/')).json<{ total: number }>().total;
    expect(total).toBeGreaterThanOrEqual(OLD + 3);
    await page.click('.center button');
    await counts(total);
    expect(await page.evaluate("document.querySelector('.center') === null")).toBe(true);
    expect((await rows()).at(-1)).toContain('job 0');
  });

  it('filters by who, what and when, and keeps that in the address', async () => {
    await open();
    await counts(100);
    await page.until(`document.querySelector('[name=actor] option[value="${other.id}"]') !== null`);
    await choose('actor', other.id);
    await counts(2);
    await choose('action', 'created');
    await counts(1);
    expect((await rows())[0]).toContain('batches');
    expect(await page.evaluate('location.hash')).toBe(`#/audit?actor=${other.id}&action=created`);
    await choose('action', 'stop');
    await page.until("document.body.textContent.includes('No change matches these filters.')");
    await page.click('.fields button');
    await counts(100);
    await choose('resource', 'api-keys');
    await counts(1);
    await choose('resource', '');
    await choose('from', '2026-03-10');
    await choose('to', '2026-03-10');
    await page.until("document.querySelector('.audit [role=status]')?.textContent === '130 changes'");
    // Somebody whose key is gone can be chosen by one of the lines.
    await page.click('.trail tbody a');
    await page.until("location.hash.includes('actor=5d0f4c1e')");
    await page.until("document.querySelector('[name=actor]').selectedOptions[0].textContent === 'a key that is gone'");
    await choose('to', '2026-03-09');
    await page.until("document.body.textContent.includes('No change matches these filters.')");
  });

  it('a member is told that it is not for it', async () => {
    const made = await world.ask('POST', '/api/v1/api-keys/', { name: 'member', role: 'member' });
    await open('#/audit', { key: made.json<{ key: string }>().key });
    await page.until("document.querySelector('.empty')?.textContent.includes('role admin or owner')");
    expect(await page.evaluate("document.querySelector('.trail')")).toBe(null);
  });

  it('says it in German', async () => {
    await open('#/audit?action=replaced', { language: 'de' });
    await counts(1);
    expect((await rows())[0]).toContain('ersetzt');
  });

  it.each([
    ['light', { dark: false }],
    ['dark', { dark: true }],
    ['dark, as wide as a phone', { dark: true, width: 390 }],
  ])('has no faults for axe: %s', async (_, options) => {
    await open('#/audit', options);
    await counts(100);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});
