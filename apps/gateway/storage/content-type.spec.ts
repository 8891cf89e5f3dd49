import { describe, expect, it } from '@jest/globals';
import { dispositionOf } from './content-type.js';

/** @hardening privacy: A stored file runs in the browser */
describe('files that a browser may show in place', () => {
  it.each(['image/jpeg', 'image/png', 'video/mp4', 'video/quicktime', 'audio/mpeg', 'audio/wav'])(
    '%s is shown',
    (type) => {
      expect(dispositionOf(type)).toBe('inline');
    },
  );

  it.each([
    'image/svg+xml',
    'image/png+xml',
    'video/x+xml',
    'audio/evil+xml',
    'video/html',
    'application/xhtml+xml',
    'text/html',
    'application/pdf',
    'application/octet-stream',
    null,
  ])('a %s is downloaded', (type) => {
    expect(dispositionOf(type)).toBe('attachment');
  });
});
