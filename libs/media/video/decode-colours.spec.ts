/** @needs ffmpeg */
import { describe, expect, it } from '@jest/globals';
import { frameSpecName, type VideoFacts } from '@adit/contracts';
import { transcode } from '@adit/testing';
import { decodeInterval, openFramePackBuffer, planGrid, probeMedia, type FrameIndex } from '../index.js';

/** Skin, a dark blue and a grey: a wrong matrix or range changes them by tens of levels. */
const COLOURS = ['e0a080', '204060', '808080'];

const ROWS: Record<string, { size: string; matrix: string; range?: 'tv' | 'pc'; format?: string; tags: string[] }> = {
  'HD, tagged BT.709': { size: '1280x720', matrix: 'bt709', tags: ['-colorspace', 'bt709', '-color_range', 'tv'] },
  'HD without tags': { size: '1280x720', matrix: 'bt709', tags: [] },
  'HD in full range': {
    ...{ size: '1280x720', matrix: 'bt709', range: 'pc' },
    tags: ['-colorspace', 'bt709', '-color_range', 'pc'],
  },
  'HD of 10 bits': { size: '1280x720', matrix: 'bt709', format: 'yuv420p10', tags: ['-colorspace', 'bt709'] },
  'HD, 4:2:2': { size: '1280x720', matrix: 'bt709', format: 'yuv422p', tags: ['-colorspace', 'bt709'] },
  'of an odd width': { size: '1281x720', matrix: 'bt709', format: 'yuv444p', tags: ['-colorspace', 'bt709'] },
  'UHD, BT.2020': { size: '1280x720', matrix: 'bt2020', tags: ['-colorspace', 'bt2020nc'] },
  'SD, tagged BT.601': { size: '640x480', matrix: 'bt601', tags: ['-colorspace', 'smpte170m'] },
  'SD, tagged BT.709': { size: '640x480', matrix: 'bt709', tags: ['-colorspace', 'bt709'] },
};

describe.each(Object.entries(ROWS))('a film %s', (_, { size, matrix, range = 'tv', format = 'yuv420p', tags }) => {
  it('shows the colours it was made of', async () => {
    const sources = COLOURS.flatMap((colour) => ['-f', 'lavfi', '-i', `color=0x${colour}:s=${size}:r=5:d=1`]);
    const inputs = COLOURS.map((_, i) => `[${i}:v]`).join('');
    const converted = `format=rgb24,scale=out_color_matrix=${matrix}:out_range=${range},format=${format}`;
    const graph = `${inputs}concat=n=${COLOURS.length}:v=1,${converted}`;
    const x264 = ['-c:v', 'libx264', '-qp', '0', '-pix_fmt', format];
    const path = await transcode('colours.mp4', [...sources, '-filter_complex', graph, ...x264, ...tags]);
    const probed = await probeMedia(path);
    const [facts, index] = [probed.facts as VideoFacts, probed.index as FrameIndex];
    for (const spec of [
      { rate: 1, shorterSide: 200 },
      { rate: 1, shorterSide: 'native' },
    ] as const) {
      const packs = await decodeInterval({ path, facts, index, interval: planGrid(index)[0]!, specs: [spec] });
      const pack = await openFramePackBuffer(packs.get(frameSpecName(spec))!);
      for (const [i, colour] of COLOURS.entries()) {
        const { data, width, height } = await pack.picture(i);
        const middle = 3 * ((height >> 1) * width + (width >> 1));
        const wanted = Buffer.from(colour, 'hex');
        const off = [0, 1, 2].map((channel) => Math.abs(data[middle + channel]! - wanted[channel]!));
        expect(Math.max(...off)).toBeLessThanOrEqual(4);
      }
    }
  });
});
