/** @needs weights, build */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accessibilityFaults, BrowserPage, chromium } from '@adit/testing';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';

const program = chromium();
const title = program === null ? ' (skipped: no Chromium on this machine)' : '';
/** Buttons within buttons and boxes without names: the package's own, which no style can mend. */
const OF_SWAGGER_UI = ['nested-interactive', 'scrollable-region-focusable', 'select-name'];
let gateway: TestGateway;
let page: BrowserPage;

(program === null ? describe.skip : describe)(`the documentation in Chromium${title}`, () => {
  beforeAll(async () => {
    gateway = await startGateway({ console: false });
    await gateway.app.listen(0, '127.0.0.1');
    // The service itself leads there where it has no console.
    page = await BrowserPage.open(program as string, await gateway.app.getUrl());
    // Only what is near the window is in the page.
    await page.until("document.querySelectorAll('.opblock').length > 3");
  }, BOOT_MS);
  afterAll(async () => {
    await page?.close();
    await gateway?.close();
  });

  it('the page is reached from the address of the service', async () => {
    expect(await page.evaluate('location.pathname')).toBe('/api/docs');
  });

  it('the page has no faults for axe but those of how Swagger UI is built', async () => {
    const faults = await accessibilityFaults(page);
    expect(faults.filter((fault) => !OF_SWAGGER_UI.includes(fault.split(' ')[0] as string))).toEqual([]);
  });

  /** @hardening api: A page in a browser cannot use the API */
  it('takes the bare key in "Authorize" and asks with it', async () => {
    await page.evaluate("document.querySelector('.btn.authorize').click()");
    await page.until("document.querySelector('.auth-container input') !== null");
    // Sets the value like typing: React listens to the event and reads the value behind its back.
    await page.evaluate(`(() => {
      const input = document.querySelector('.auth-container input');
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, ${JSON.stringify(gateway.key)});
      input.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
    await page.evaluate("document.querySelector('.auth-btn-wrapper .authorize').click()");
    await page.until("document.querySelector('.auth-btn-wrapper button')?.textContent.includes('Logout')");
    await page.evaluate("document.querySelector('.btn-done').click()");
    const operation = "document.querySelector('#operations-Jobs-getJobs')";
    await page.until(`(scrollBy(0, 300), ${operation} !== null)`);
    await page.evaluate(`${operation}.scrollIntoView()`);
    await page.evaluate(`${operation}.querySelector('button.opblock-summary-control').click()`);
    await page.until(`${operation}.querySelector('.try-out__btn') !== null`);
    await page.evaluate(`${operation}.querySelector('.try-out__btn').click()`);
    await page.until(`${operation}.querySelector('.execute') !== null`);
    await page.evaluate(`${operation}.querySelector('.execute').click()`);
    await page.until(`${operation}.querySelector('.live-responses-table .response-col_status') !== null`);
    const status = `${operation}.querySelector('.live-responses-table .response .response-col_status').textContent`;
    expect(await page.evaluate(status)).toMatch(/^200/);
  });
});
