/** @needs ffmpeg */
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { DECODER_VERSION, type VideoFacts } from '@adit/contracts';
import { transcode } from '@adit/testing';
import { decodeInterval, ffmpegInfo, openFramePackBuffer, planGrid, probeMedia, type FrameIndex } from '../index.js';

/** Encoders whose bytes are the same on every version of ffmpeg, which its own tests enforce. */
const mpeg2 = ['-c:v', 'mpeg2video', '-q:v', '3'];

interface Row {
  name: string;
  source: string;
  args: string[];
  /** SHA-256 of the pictures' pixels, of DECODER_VERSION 4. */
  pixels: string;
}

const ROWS: Record<string, Row> = {
  'SD of BT.601': {
    name: 'sd.mpg',
    source: 'testsrc2=s=640x480',
    args: mpeg2,
    pixels: '443d881bb6daf6dba2a2668d1389854e5468b1a17d62d35cf143f1ff52786c6c',
  },
  'HD of BT.709': {
    name: 'hd.ts',
    source: 'testsrc2=s=1280x720',
    args: mpeg2,
    pixels: '9e0f947b150224113f8e8128778ecc2e694db42041819936bb069eb959d64600',
  },
  'HD of 10 bits': {
    name: 'hd10.mov',
    source: 'testsrc2=s=1280x720,format=yuv422p10le',
    args: ['-c:v', 'v210'],
    pixels: 'f0a604ae5bc1c9771b4b4fd59a42b169f6625434e84610d6200a48b820a8340d',
  },
};

async function rgbOf(path: string, shorterSide: number | 'native'): Promise<Buffer[]> {
  const probed = await probeMedia(path);
  const [facts, index] = [probed.facts as VideoFacts, probed.index as FrameIndex];
  const specs = [{ rate: 2, shorterSide }];
  const packs = await decodeInterval({ path, facts, index, interval: planGrid(index)[0]!, specs });
  const pack = await openFramePackBuffer([...packs.values()][0]!);
  const pictures: Buffer[] = [];
  for (const [i] of pack.frames.entries()) pictures.push(Buffer.from((await pack.picture(i)).data));
  return pictures;
}

const tonesHdr = (await ffmpegInfo()).filters.has('zscale');

/**
 * Cached results with one digest have to be the same on every ffmpeg: a changed hash requires a new DECODER_VERSION.
 */
describe(`pictures of decoder version ${DECODER_VERSION}`, () => {
  it.each(Object.entries(ROWS))('are the same on every ffmpeg: %s', async (_, { name, source, args, pixels }) => {
    const path = await transcode(`same-${name}`, [
      ...['-f', 'lavfi', '-i', `${source},setsar=1`, '-t', '2', '-threads', '1', ...args, '-bitexact'],
    ]);
    const hash = createHash('sha256');
    for (const shorterSide of [240, 'native'] as const) {
      for (const picture of await rgbOf(path, shorterSide)) hash.update(picture);
    }
    expect(hash.digest('hex')).toBe(pixels);
  });

  (tonesHdr ? it : it.skip)('cut off the colours of HDR that other screens have not', async () => {
    // Red of BT.2020 at 75 % of the PQ signal: green and blue of BT.709 would be below black.
    const red = "color=c=black:s=320x180:r=5:d=1,format=yuv420p10le,geq=lum='237':cb=418:cr=848";
    // As output options these tags would make newer versions convert the colours.
    const tagged = `${red},setparams=range=tv:color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc`;
    const x265 = 'log-level=none:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc';
    const path = await transcode('red.mp4', [
      ...['-f', 'lavfi', '-i', tagged, '-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', x265],
      ...['-tag:v', 'hvc1'],
    ]);
    const [picture] = await rgbOf(path, 'native');
    const [r = 0, g = 255, b = 255] = picture!.subarray(3000, 3003);
    expect(r).toBeGreaterThan(240);
    expect(Math.max(g, b)).toBeLessThan(5);
  });
});
