import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decryptText, encryptText, type SecretKind } from './encrypted-text.js';

const KEY = 'k'.repeat(32);
const ADDRESS = 'rtsp://user:secret@camera.example.org/live?token=1';
const KIND: SecretKind = { purpose: 'adit: specs', name: 'The address', remedy: 'post it again' };

it('a text is read with its key and workspace alone, and is not in the row', () => {
  const encrypted = encryptText(KIND, ADDRESS, 'workspace', KEY);
  expect(decryptText(KIND, encrypted, 'workspace', KEY)).toBe(ADDRESS);
  expect(Buffer.from(encrypted.slice(3), 'base64url').includes('secret')).toBe(false);
  expect(encryptText(KIND, ADDRESS, 'workspace', KEY)).not.toBe(encrypted);
});

it.each([
  ['another key', KIND, 'workspace', 'l'.repeat(32)],
  ['another workspace', KIND, 'other', KEY],
  ['another purpose', { ...KIND, purpose: 'adit: others' }, 'workspace', KEY],
  ['no key', KIND, 'workspace', undefined],
])('a text is not read with %s', (_, kind, workspace, key) => {
  const encrypted = encryptText(KIND, ADDRESS, 'workspace', KEY);
  expect(() => decryptText(kind, encrypted, workspace, key)).toThrow(
    expect.objectContaining({ code: 'UNAVAILABLE', message: expect.not.stringContaining('secret') }),
  );
});

it('a changed row is refused, whatever was changed', () => {
  const encrypted = encryptText(KIND, ADDRESS, 'workspace', KEY);
  fc.assert(
    fc.property(fc.nat(encrypted.length - 2), fc.constantFrom('A', 'b', '0', '.'), (at, put) => {
      const changed = encrypted.slice(0, at) + put + encrypted.slice(at + 1);
      fc.pre(changed !== encrypted);
      expect(() => decryptText(KIND, changed, 'workspace', KEY)).toThrow(
        expect.objectContaining({ code: 'UNAVAILABLE' }),
      );
    }),
  );
});
