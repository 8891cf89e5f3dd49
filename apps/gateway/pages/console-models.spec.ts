/** @needs build, time */
import { randomUUID } from 'node:crypto';
import type { Model } from '@adit/contracts';
import { detectorGraph } from '@adit/inference/spec-graph';
import { accessibilityFaults, chromium, signedIn, type BrowserPage } from '@adit/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../contract/world.js';

const program = chromium();
const title = program === null ? ' (skipped: no Chromium on this machine)' : '';
/** A model is checked in a process of its own. */
const CHECKED_MS = 180_000;

(program === null ? describe.skip : describe)(`the pages of models in Chromium${title}`, () => {
  let world: World;
  let page: BrowserPage;
  beforeAll(async () => {
    world = await World.start();
  }, 600_000);
  afterEach(() => page?.close());
  afterAll(() => world?.close());

  const open = async (at: string, options: Parameters<typeof signedIn>[2] & { key?: string } = {}) => {
    const { key = world.gateway.key, ...rest } = options;
    page = await signedIn(program as string, { base: world.base, key, at }, rest);
  };
  const shown = (selector: string, limitMs?: number) =>
    page.until(`document.querySelector('${selector}') !== null`, limitMs);
  const press = (label: string) =>
    page.evaluate(`[...document.querySelectorAll('button')].find((each) => each.textContent === '${label}').click()`);
  const says = (words: string) =>
    page.until(`document.querySelector('.notices').textContent.includes('${words}')`, CHECKED_MS);
  /** Drops a file as a person drags it in. */
  const drop = (name: string, bytes: Buffer) =>
    page.evaluate(`(() => {
      const transfer = new DataTransfer();
      const bytes = Uint8Array.from(atob('${bytes.toString('base64')}'), (letter) => letter.charCodeAt(0));
      transfer.items.add(new File([bytes], '${name}'));
      document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    })()`);
  const answer = (name: string, value: string) =>
    page.evaluate(`(() => {
      const field = document.querySelector('dialog [name=${name}]');
      field.value = ${JSON.stringify(value)};
      for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
    })()`);
  /** A model of two versions. */
  async function twoVersions(): Promise<string> {
    const fields = { name: `helmets-${randomUUID().slice(0, 8)}`, ...(await world.graph()) };
    const added = await world.ask('POST', '/api/v1/models/', fields);
    await world.ask('POST', '/api/v1/models/', {
      ...fields,
      labels: fields.labels.replace('thing 0', 'helmet'),
      changelog: 'More nights',
    });
    return added.json<{ id: string }>().id;
  }
  const read = async (id: string) => (await world.ask('GET', `/api/v1/models/${id}/`)).json<Model>();

  it('a file that is dropped is asked about, and becomes a model', async () => {
    const answers: Record<string, string> = await world.graph();
    const name = `Best ${randomUUID().slice(0, 8)}`;
    await open('#/models');
    await shown('.drop');
    await drop(`${name}.onnx`, detectorGraph());
    await shown('dialog[open]');
    await press('Add');
    // What is still open is asked for in turns.
    for (let rounds = 0; rounds < 4; rounds += 1) {
      await page.until("document.querySelector('dialog .primary')?.disabled !== true", CHECKED_MS);
      const asked = await page.evaluate<string[]>(
        "[...document.querySelectorAll('dialog [name]')].map(({ name }) => name)",
      );
      if (rounds === 0) expect(asked).toContain('colour');
      if (asked.length === 0) break;
      for (const each of asked) await answer(each, answers[each] ?? '');
      await press('Add');
    }
    await says('was added as version 1');
    await page.until(`document.querySelector('h1')?.textContent === '${name.toLowerCase().replace(' ', '-')}'`);
    expect(await page.evaluate('document.querySelectorAll(".versions li").length')).toBe(1);
  });

  it('another version is used, which can be undone, tried as a canary, and retired', async () => {
    const id = await twoVersions();
    await world.ask('POST', `/api/v1/models/${id}/versions/1/promote/`);
    await open(`#/models/${id}`);
    await page.until("document.querySelectorAll('.versions li').length === 2");
    await press('Use this one');
    await says('New jobs use version 2');
    expect(await read(id)).toMatchObject({ default_version: 2 });
    await press('Undo');
    await page.until("document.querySelector('.versions li:last-child .used') !== null");
    expect(await read(id)).toMatchObject({ default_version: 1 });
    await press('Try beside it …');
    await shown('dialog[open]');
    await press('Start');
    await shown('.canary');
    expect((await world.ask('GET', `/api/v1/models/${id}/canary/`)).json()).toMatchObject({
      ...{ state: 'running', version: 2, share: 0.1 },
    });
    await press('Drop it');
    await page.until("document.querySelector('.canary p').textContent.includes('and dropped')");
    await press('Retire');
    await says('offered to no more jobs');
    expect((await read(id)).versions).toHaveLength(1);
  });

  it('a member sees models, and is told why it changes none', async () => {
    const id = await twoVersions();
    const made = await world.ask('POST', '/api/v1/api-keys/', { name: 'member', role: 'member' });
    await open('#/models', { key: made.json<{ key: string }>().key });
    await shown('.list');
    await drop('a.onnx', Buffer.from('x'));
    await says('the role admin or owner');
    expect(await page.evaluate("document.querySelector('dialog')")).toBeNull();
    await page.evaluate(`location.hash = '#/models/${id}'`);
    await shown('.versions button');
    const states = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.versions button')].map((each) => each.getAttribute('aria-disabled'))",
    );
    expect(new Set(states)).toEqual(new Set(['true']));
  });

  it.each([
    ['light', { dark: false }],
    ['dark', { dark: true }],
    ['dark, as wide as a phone', { dark: true, width: 390 }],
  ])('has no faults for axe: %s', async (_, options) => {
    const id = await twoVersions();
    await world.ask('POST', `/api/v1/models/${id}/canary/`, { version: 1, share: 0.5 });
    const faults: string[] = [];
    const look = async (place: string) =>
      faults.push(...(await accessibilityFaults(page)).map((fault) => `${place}: ${fault}`));
    const fits = () => page.evaluate('document.documentElement.scrollWidth <= innerWidth');
    await open('#/models', options);
    await shown('.list');
    await look('models');
    expect(await fits()).toBe(true);
    await drop('a model.onnx', detectorGraph());
    await shown('dialog[open]');
    await press('Add');
    await shown('dialog [name=colour]', CHECKED_MS);
    await look('questions');
    await page.press('Escape');
    await page.evaluate(`location.hash = '#/models/${id}'`);
    await shown('.canary');
    await look('model');
    expect(await fits()).toBe(true);
    expect(faults).toEqual([]);
  });
});
