/** @needs build, time */
import { accessibilityFaults, BrowserPage, chromium } from '@adit/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { plantMember } from '../members/testing/members.js';
import { CLIENT, freePort, startProvider, type TestProvider } from '../sign-in/testing/provider.js';
import { startGateway, type TestGateway } from '../testing/gateway.js';

const program = chromium();
const title = program === null ? ' (skipped: no Chromium on this machine)' : '';

(program === null ? describe.skip : describe)(`people who sign in by a provider, in Chromium${title}`, () => {
  let provider: TestProvider;
  let gateway: TestGateway;
  let base: string;
  let page: BrowserPage;
  beforeAll(async () => {
    const port = await freePort();
    // Another site than the provider's: what the cookies let through is what is tried.
    base = `http://localhost:${port}`;
    provider = await startProvider(`${base}/console/oidc/callback`);
    const signIn = { oidcIssuer: provider.issuer, ...CLIENT, oidcName: 'Newsroom ID', publicUrl: base };
    const local = { oidcAllowHttp: true, oidcAllowAddresses: ['127.0.0.1/32'], oidcContact: 'desk@example.org' };
    gateway = await startGateway({ ...signIn, ...local });
    await gateway.app.listen(port, '127.0.0.1');
    provider.accounts.set('ann', { email: 'ann@example.org', name: 'Ann' });
    provider.accounts.set('eve', { email: 'eve@example.org', name: 'Eve' });
  }, 600_000);
  afterEach(() => page?.close());
  afterAll(async () => {
    await gateway?.close();
    await provider?.close();
  });

  const invite = async (email: string, role: string): Promise<string> =>
    (await gateway.ask('POST', '/api/v1/invitations/', { email, role })).json<{ link: string }>().link;
  const shown = (selector: string) => page.until(`document.querySelector('${selector}') !== null`);
  const says = (text: string) => page.until(`document.body.textContent.includes('${text}')`);
  const press = (label: string) =>
    page.until(`(([button]) => button !== undefined && (button.click(), true))(
      [...document.querySelectorAll('button')].filter((each) => each.textContent === '${label}'))`);
  /** From the page of the console to the provider, and back from there. */
  const signIn = async (login: string, button = 'Sign in with Newsroom ID') => {
    await press(button);
    await page.until("document.querySelector('input[name=login]') !== null");
    await page.evaluate(`document.querySelector('input[name=login]').value = '${login}';
      document.querySelector('input[name=password]').value = 'any'; document.querySelector('form').submit()`);
  };

  it('an admin is invited, signs in, invites and removes others, and signs out', async () => {
    page = await BrowserPage.open(program as string, await invite('ann@example.org', 'admin'));
    await says('You are invited');
    await signIn('ann');
    await shown('.top');
    expect(await page.evaluate("document.querySelector('.who').textContent")).toBe('Ann (admin)');
    // The cookie is there for requests alone.
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.reload();
    await shown('.top');
    await page.evaluate("location.hash = '#/members'");
    await press('Invite somebody …');
    await page.until("document.activeElement?.name === 'email'");
    await page.write('eve@example.org');
    await page.press('Enter');
    await shown('.secret input');
    const link = await page.evaluate<string>("document.querySelector('.secret input').value");
    expect(link).toContain(`${base}/console/#/invitation?token=`);
    await press('I have kept it');
    await says('eve@example.org');
    await press('Take back');
    await says('was taken back');
    await page.click('.top > button');
    await shown('.sign-in');
    await page.reload();
    await shown('.sign-in');
  });

  it('whom nobody has invited is told whom to ask, in German', async () => {
    page = await BrowserPage.open(program as string, `${base}/console/`, { language: 'de' });
    await shown('.sign-in .primary');
    await signIn('eve', 'Anmelden mit Newsroom ID');
    await says('Bitten Sie um eine Einladung: desk@example.org');
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('a member is removed with the keys that they made, as the admin chooses', async () => {
    const { memberId } = await plantMember(gateway);
    for (const name of ['nightly import', 'subtitles']) {
      const { id } = (await gateway.ask('POST', '/api/v1/api-keys/', { name })).json<{ id: string }>();
      await gateway.db.query('UPDATE api_keys SET maker_id = $2 WHERE id = $1', [id, memberId]);
    }
    page = await BrowserPage.open(program as string, await invite('ann@example.org', 'admin'));
    await says('You are invited');
    await signIn('ann');
    await shown('.top');
    await page.evaluate("location.hash = '#/members'");
    await page.click('[aria-label="Remove …: Ada"], [title="Remove …: Ada"]');
    await says('2 keys that they made go on working:');
    await says('nightly import (adit_');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.click('dialog input[type=checkbox]');
    await press('Remove');
    await says('Ada was removed.');
    const { total } = (await gateway.ask('GET', `/api/v1/api-keys/?member_id=${memberId}`)).json<{ total: number }>();
    expect(total).toBe(0);
  });

  it.each([
    ['light', { dark: false }],
    ['dark, as wide as a phone', { dark: true, width: 390 }],
  ])('has no faults for axe: %s', async (_, options) => {
    const faults: string[] = [];
    const look = async (place: string) =>
      faults.push(...(await accessibilityFaults(page)).map((fault) => `${place}: ${fault}`));
    page = await BrowserPage.open(program as string, await invite('ann@example.org', 'admin'), options);
    await says('You are invited');
    await look('invitation');
    await signIn('ann');
    await shown('.top');
    await invite('eve@example.org', 'reader');
    await page.evaluate("location.hash = '#/members'");
    await page.until("document.querySelectorAll('.members-page table').length === 3");
    await look('members');
    expect(
      await page.evaluate(
        "(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('main'))",
      ),
    ).toBe(true);
    await press('Invite somebody …');
    await page.until("document.activeElement?.name === 'email'");
    await look('invite');
    expect(faults).toEqual([]);
  });
});
