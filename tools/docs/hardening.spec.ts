import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { hardeningPage, PAGE, tagsOf } from './hardening.mjs';

describe(PAGE, () => {
  it('is what the tags beside the tests say ("npm run docs" writes it)', async () => {
    const page = readFileSync(join(import.meta.dirname, '../..', PAGE), 'utf8');
    expect(page).toBe(await hardeningPage());
  });
});

describe('tags', () => {
  it('are comments of one line with an area and what could happen', () => {
    const text =
      "  /** @hardening media: A frame is lost */\n  it('shows all frames', () => {});\n/** Says @hardening. */\n";
    expect(tagsOf(text)).toEqual([{ area: 'media', threat: 'A frame is lost' }]);
  });

  it('are refused with an area that there is not', () => {
    expect(() => tagsOf('/** @hardening other: A frame is lost */')).toThrow(/no area other; it has overload/);
  });
});
