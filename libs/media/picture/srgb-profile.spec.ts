import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import sharp from 'sharp';
import { sampleMedia } from '@adit/testing';
import { isSrgbProfile } from './srgb-profile.js';

const profileOf = async (icc: string): Promise<Buffer> => {
  const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: '#888' } });
  const { icc: profile } = await sharp(await picture.withIccProfile(icc).jpeg().toBuffer()).metadata();
  return profile as Buffer;
};
let hewlettPackard: Buffer;

beforeAll(async () => {
  hewlettPackard = (await sharp(sampleMedia().groups['sample1'] as string).metadata()).icc as Buffer;
});

describe('an ICC profile', () => {
  it('is sRGB as cameras and libvips write it', async () => {
    expect(hewlettPackard.includes('Hewlett-Packard')).toBe(true);
    expect(isSrgbProfile(hewlettPackard)).toBe(true);
    expect(isSrgbProfile(await profileOf('srgb'))).toBe(true);
  });

  it('is not sRGB with other primaries, other curves or tables', async () => {
    expect(isSrgbProfile(await profileOf('p3'))).toBe(false);
    const gamma = Buffer.from(hewlettPackard);
    // The three curves share one table; its middle is made brighter.
    const curve = gamma.indexOf('curv');
    gamma.writeUInt16BE(gamma.readUInt16BE(curve + 12 + 2 * 512) + 400, curve + 12 + 2 * 512);
    gamma.writeUInt16BE(gamma.readUInt16BE(curve + 12 + 2 * 511) + 400, curve + 12 + 2 * 511);
    expect(isSrgbProfile(gamma)).toBe(false);
    const table = Buffer.from(hewlettPackard);
    table.write('A2B0', table.indexOf('lumi', 128));
    expect(isSrgbProfile(table)).toBe(false);
    const cmyk = Buffer.from(hewlettPackard);
    cmyk.write('CMYK', 16);
    expect(isSrgbProfile(cmyk)).toBe(false);
  });

  it('that is damaged is not sRGB, and never an error', () => {
    expect(isSrgbProfile(Buffer.alloc(0))).toBe(false);
    fc.assert(
      fc.property(
        fc.nat(hewlettPackard.length - 1),
        fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 6 }),
        (cut, changes) => {
          const profile = Buffer.from(hewlettPackard.subarray(0, cut));
          for (const [at, value] of changes) if (at < profile.length) profile[at] = value;
          expect(typeof isSrgbProfile(profile)).toBe('boolean');
        },
      ),
    );
    expect(isSrgbProfile(hewlettPackard.subarray(0, 600))).toBe(false);
  });
});
