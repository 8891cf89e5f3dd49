import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { configurationPage } from './configuration-page.js';

describe('docs/configuration.md', () => {
  it('lists the settings as they are (npm run docs writes it anew)', async () => {
    const file = join(import.meta.dirname, '../../docs/configuration.md');
    expect(await readFile(file, 'utf8')).toBe(configurationPage());
  });
});
