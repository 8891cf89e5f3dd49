/** @needs build, time */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook, type Received } from '@adit/client';
import type { Webhook } from '@adit/contracts';
import { accessibilityFaults, chromium, signedIn, type BrowserPage } from '@adit/testing';
import { receiverPolicy, Sender } from '@adit/webhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../contract/world.js';
import { sendDue } from './testing/notifier.js';

const program = chromium();
const title = program === null ? ' (skipped: no Chromium on this machine)' : '';
const RECEIVERS = { webhookAllowHttp: true, webhookAllowAddresses: ['127.0.0.1/32'] };

(program === null ? describe.skip : describe)(`the pages of webhooks in Chromium${title}`, () => {
  let world: World;
  let page: BrowserPage;
  let receiver: Server;
  let sender: Sender;
  let url: string;
  let status = 204;
  const received: Pick<Received, 'headers' | 'body'>[] = [];
  beforeAll(async () => {
    world = await World.start(RECEIVERS);
    sender = new Sender({ policy: receiverPolicy(RECEIVERS), timeoutSeconds: 30 });
    receiver = createServer((request: IncomingMessage, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        received.push({ headers: request.headers, body: Buffer.concat(pieces) });
        response.writeHead(status).end(status === 204 ? undefined : 'Back in a minute.');
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  }, 600_000);
  afterEach(() => page?.close());
  afterAll(async () => {
    await sender?.close();
    receiver?.closeAllConnections();
    await new Promise((resolve) => receiver?.close(resolve));
    await world?.close();
  });

  const open = async (at: string, options: Parameters<typeof signedIn>[2] & { key?: string } = {}) => {
    const { key = world.gateway.key, ...rest } = options;
    page = await signedIn(program as string, { base: world.base, key, at }, rest);
  };
  const shown = (selector: string) => page.until(`document.querySelector('${selector}') !== null`);
  const press = (label: string) =>
    page.until(`(() => {
      const button = [...document.querySelectorAll('button')].find((each) => each.textContent === '${label}');
      return button?.click() === undefined && button !== undefined;
    })()`);
  const says = (words: string) => page.until(`document.querySelector('.notices').textContent.includes('${words}')`);
  const text = (selector: string) => page.evaluate<string>(`document.querySelector('${selector}')?.textContent ?? ''`);
  const fill = (name: string, value: string) =>
    page.until(`(() => {
      const field = document.querySelector('dialog [name="${name}"]');
      if (field === null) return false;
      field.value = ${JSON.stringify(value)};
      for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
      return true;
    })()`);
  const all = async () => (await world.ask('GET', '/api/v1/webhooks/')).json<Webhook[]>();
  const added = async (more: object = {}) => {
    const body = { event: 'svc.job.on_completed', url, hmac_secret: 'a secret of the spec', ...more };
    return (await world.ask('POST', '/api/v1/webhooks/', body)).json<Webhook>();
  };

  it('one is added with a secret that the receiver can check, tested, changed and deleted', async () => {
    await open('#/webhooks');
    await shown('.empty');
    await press('Add a webhook …');
    await page.until("document.activeElement?.name === 'url'");
    // The service says why beside the address.
    await fill('url', 'http://192.0.2.1/hook');
    await press('Add');
    await page.until("document.querySelector('dialog [name=url]').getAttribute('aria-invalid') === 'true'");
    expect(await text('dialog .fault')).toContain('refused');
    await fill('url', url);
    await fill('event', 'svc.stream.on_gap');
    await fill('description', 'newsroom');
    await press('Add');
    await shown('.secret input');
    const secret = await page.evaluate<string>("document.querySelector('.secret input').value");
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await press('I have kept it');
    await page.until("document.querySelector('.list')?.textContent.includes('A stream goes on after a gap')");
    expect(await all()).toMatchObject([
      { url, event: 'svc.stream.on_gap', description: 'newsroom', hmac_secret: secret },
    ]);
    await page.click('.list tbody a');
    await shown('.one-webhook');
    await press('Send a test event');
    await says('is on its way');
    expect(await sendDue(world.gateway.db, sender, secret)).toBe(1);
    await page.until("document.querySelector('.attempts')?.textContent.includes('delivered')");
    expect(await text('.attempts')).toContain('204');
    expect(await verifyWebhook({ ...received.at(-1)!, secret })).toMatchObject({ event: 'svc.webhook.on_test' });
    await page.click('.back a');
    await shown('.webhooks-page .list');
    await press('Change …');
    await fill('description', 'archive');
    await press('Change');
    await page.until("document.querySelector('.list').textContent.includes('archive')");
    // An empty field leaves the secret as it is.
    expect(await all()).toMatchObject([{ description: 'archive', hmac_secret: secret }]);
    await press('Delete …');
    await shown('dialog .danger');
    await page.click('dialog .danger');
    await shown('.empty');
    expect(await all()).toEqual([]);
  });

  it('a delivery that failed says what was answered and when it is tried again, and is sent again', async () => {
    const { id } = await added();
    status = 503;
    await world.ask('POST', `/api/v1/webhooks/${id}/test/`);
    await sendDue(world.gateway.db, sender, 'a secret of the spec');
    await open(`#/webhooks/${id}`);
    await page.until("document.querySelector('.attempts')?.textContent.includes('is tried again at')");
    expect(await text('.attempts tbody tr')).toContain('503');
    await page.click('.attempts summary');
    expect(await text('.attempts pre')).toBe('Back in a minute.');
    status = 204;
    const before = received.length;
    await press('Send again');
    await says('It is sent again');
    expect(await sendDue(world.gateway.db, sender, 'a secret of the spec')).toBe(1);
    await page.until("document.querySelectorAll('.attempts tbody tr').length === 2");
    await page.until("document.querySelector('.attempts tbody tr').textContent.includes('delivered')");
    const [first, second] = received
      .slice(before - 1)
      .map(({ headers }) => new Headers(headers as never).get('webhook-id'));
    expect(second).toBe(first);
    await world.ask('DELETE', `/api/v1/webhooks/${id}/`);
  });

  it('one that is switched off says so, and is switched on again', async () => {
    const { id } = await added({ enabled: false });
    await open(`#/webhooks/${id}`);
    await page.until("document.querySelector('.condition')?.textContent === 'switched off'");
    await press('Send a test event');
    await says('Switch it on first');
    await press('Switch on');
    await page.until("document.querySelector('.condition').textContent === 'on'");
    await world.ask('DELETE', `/api/v1/webhooks/${id}/`);
  });

  it('a reader sees webhooks and their log, and is told why it changes none', async () => {
    const { id } = await added();
    const made = await world.ask('POST', '/api/v1/api-keys/', { name: 'reader', role: 'reader' });
    await open('#/webhooks', { key: made.json<{ key: string }>().key });
    await shown('.list');
    await press('Add a webhook …');
    await page.until("document.querySelector('.notices').textContent !== ''");
    expect(await page.evaluate("document.querySelector('dialog')")).toBeNull();
    await page.evaluate(`location.hash = '#/webhooks/${id}'`);
    await shown('.one-webhook .actions button');
    expect(
      await page.evaluate("document.querySelector('.one-webhook .actions button').getAttribute('aria-disabled')"),
    ).toBe('true');
    await world.ask('DELETE', `/api/v1/webhooks/${id}/`);
  });

  it.each([
    ['light', { dark: false }],
    ['dark', { dark: true }],
    ['dark, in German, as wide as a phone', { dark: true, width: 390, language: 'de' }],
  ])('has no faults for axe: %s', async (_, options) => {
    const { id } = await added({ description: 'newsroom' });
    status = 503;
    await world.ask('POST', `/api/v1/webhooks/${id}/test/`);
    await sendDue(world.gateway.db, sender, 'a secret of the spec');
    status = 204;
    const faults: string[] = [];
    const look = async (place: string) =>
      faults.push(...(await accessibilityFaults(page)).map((fault) => `${place}: ${fault}`));
    const fits = () => page.evaluate('document.documentElement.scrollWidth <= innerWidth');
    await open('#/webhooks', options);
    await shown('.list');
    await look('webhooks');
    expect(await fits()).toBe(true);
    await page.click('.heading .primary');
    await page.until("document.activeElement?.name === 'url'");
    await look('new webhook');
    await page.press('Escape');
    await page.evaluate(`location.hash = '#/webhooks/${id}'`);
    await shown('.attempts');
    await page.click('.attempts summary');
    await look('webhook');
    expect(await fits()).toBe(true);
    expect(faults).toEqual([]);
    await world.ask('DELETE', `/api/v1/webhooks/${id}/`);
  });
});
