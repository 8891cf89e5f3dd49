import { AditError } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesIn, formatMetadata, parseMetadata } from './tus.js';

const key = fc.stringMatching(/^[\x21-\x2b\x2d-\x7e]{1,20}$/);
const metadata = fc.dictionary(key, fc.string({ unit: 'grapheme' }), { maxKeys: 8 });

/** Returns the message of the thrown error, which has to be a refusal. */
function refusal(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    if (!(error instanceof AditError)) throw error;
    return error.code;
  }
}

describe('tus headers', () => {
  it('reads the metadata that clients write', () => {
    fc.assert(
      fc.property(metadata, (said) => {
        expect([...parseMetadata(formatMetadata(said))].toSorted()).toEqual(Object.entries(said).toSorted());
      }),
    );
    expect([...parseMetadata('filename d29ybGQ=, is_confidential')]).toEqual([
      ['filename', 'world'],
      ['is_confidential', ''],
    ]);
  });

  it('reads anything or refuses it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-c ,=/+]{0,20}$/)), (header) => {
        expect([null, 'VALIDATION']).toContain(refusal(() => parseMetadata(header)));
      }),
    );
    for (const header of ['a b c', ',', 'a,a', 'a YQ==,a Yg==', 'a \u00e4', 'name /w==', ' ', 'a=b']) {
      expect([header, refusal(() => parseMetadata(header))]).toEqual([header, header === 'a=b' ? null : 'VALIDATION']);
    }
  });

  it('takes whole numbers of bytes only', () => {
    expect(bytesIn({ 'upload-length': '0' }, 'Upload-Length')).toBe(0);
    expect(bytesIn({ 'upload-length': '9007199254740991' }, 'Upload-Length')).toBe(Number.MAX_SAFE_INTEGER);
    expect(bytesIn({}, 'Upload-Length')).toBeNull();
    for (const text of ['', '-1', '1.5', '1e3', '0x10', ' 1', '9007199254740993', '9'.repeat(30), 'NaN']) {
      expect([text, refusal(() => bytesIn({ 'upload-offset': text }, 'Upload-Offset'))]).toEqual([text, 'VALIDATION']);
    }
  });
});
