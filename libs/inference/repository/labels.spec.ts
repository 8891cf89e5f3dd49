import { describe, expect, it } from '@jest/globals';
import { labelLines, textOf } from './labels.js';

const WORDS = 'Hund\nStraße\n';
const little = Buffer.from(WORDS, 'utf16le');
const big = Buffer.from(little).swap16();

describe('a text file', () => {
  it.each<[string, Uint8Array]>([
    ['UTF-8', Buffer.from(WORDS)],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${WORDS}`)],
    ['UTF-16 of Windows', Buffer.from(`\uFEFF${WORDS}`, 'utf16le')],
    ['UTF-16, high byte first', Buffer.from(`\uFEFF${WORDS}`, 'utf16le').swap16()],
    ['UTF-16 without a mark', little],
    ['UTF-16 without a mark, high byte first', big],
  ])('is read in %s', (_, bytes) => {
    expect(textOf(bytes, 'labels.txt')).toBe(WORDS);
  });

  it.each<[string, Uint8Array, RegExp]>([
    ['another encoding', Buffer.from('Straße', 'latin1'), /^labels\.txt is not UTF-8 text: save it as UTF-8\.$/],
    ['no text', Buffer.from([1, 0, 2, 3, 0, 0, 7, 0, 9]), /^labels\.txt is not UTF-8 text/],
    ['half a character of UTF-16', Buffer.from([0xff, 0xfe, 0x41, 0, 0x42]), /^labels\.txt is not UTF-16 text/],
  ])('is refused where it is %s', (_, bytes, message) => {
    expect(() => textOf(bytes, 'labels.txt')).toThrow(message);
  });
});

describe('labels', () => {
  it('are one per line, whoever wrote the file', () => {
    expect(labelLines('a\r\n b \r\n\r\n')).toEqual(['a', 'b']);
    expect(() => labelLines('a\n\nb')).toThrow(/Line 2 of the labels is empty/);
  });

  it('keep the spaces of a list of characters', () => {
    expect(labelLines('a\nb\n \n')).toEqual(['a', 'b', ' ']);
  });
});
