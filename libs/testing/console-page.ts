import { BrowserPage } from './browser.js';

type Options = Parameters<typeof BrowserPage.open>[2];

/** Opens the console of a service in Chromium and signs in, by keys as a person does. `at` is a fragment such as `#/jobs`. */
export async function signedIn(
  program: string,
  { base, key, at = '' }: { base: string; key: string; at?: string },
  options: Options = {},
): Promise<BrowserPage> {
  const page = await BrowserPage.open(program, `${base}/console/${at}`, options);
  await page.until("document.activeElement?.name === 'key'");
  await page.write(key);
  await page.press('Enter');
  await page.until("document.querySelector('main h1') !== null && document.querySelector('.top') !== null");
  return page;
}
