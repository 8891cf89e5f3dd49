import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { BrowserPage } from './browser.js';

/** Violations of WCAG 2.1 A and AA that axe finds on a page: one line for each rule with the first places. */
export async function accessibilityFaults(page: BrowserPage): Promise<string[]> {
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  return page.evaluate<string[]>(`axe
    .run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => {
      const places = nodes.slice(0, 5).map(({ target, any, all }) => target.join(' ') + ': ' + [...any, ...all].map((each) => each.message).join(' '));
      return id + ' (' + nodes.length + '): ' + places.join(' | ');
    }))`);
}
