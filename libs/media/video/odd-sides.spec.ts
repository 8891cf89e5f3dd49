/** @needs ffmpeg */
import { describe, expect, it } from '@jest/globals';
import { frameSpecName, type VideoFacts } from '@adit/contracts';
import { transcode } from '@adit/testing';
import { decodeInterval, openFramePackBuffer, planGrid, probeMedia, type FrameIndex } from '../index.js';

const [WIDTH, HEIGHT] = [853, 479];
/** Skin on the left, a dark blue on the right; ffmpeg's sources have even sides only. */
const PICTURE = ['0xe0a080:s=426x480', '0x204060:s=428x480']
  .flatMap((colour) => ['-f', 'lavfi', '-i', `color=${colour}:r=5:d=1`])
  .concat('-filter_complex', '[0:v]format=gbrp[l];[1:v]format=gbrp[r];[l][r]hstack,CROP');
const HDR = ['-color_primaries', 'bt2020', '-color_trc', 'smpte2084', '-colorspace', 'bt2020nc'];
const X265 = ['-c:v', 'libx265', '-preset', 'ultrafast', '-tag:v', 'hvc1', '-x265-params'];
const PQ = 'log-level=none:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc';

function film(name: string, [width, height]: [number, number], encoder: string[]): Promise<string> {
  const crop = `crop=${width}:${height}:0:0:exact=1,scale=out_color_matrix=bt2020:out_range=tv`;
  return transcode(`${width}-${name}`, PICTURE.map((part) => part.replace('CROP', crop)).concat(encoder));
}

/** Sizes of its first picture as jobs see it, and its colours left and right. */
async function seen(path: string, sides: readonly (number | 'native')[]) {
  const probed = await probeMedia(path);
  const [facts, index] = [probed.facts as VideoFacts, probed.index as FrameIndex];
  const pictures = [];
  for (const shorterSide of sides) {
    const spec = { rate: 1, shorterSide };
    const packs = await decodeInterval({ path, facts, index, interval: planGrid(index)[0]!, specs: [spec] });
    const { data, width, height } = await (await openFramePackBuffer(packs.get(frameSpecName(spec))!)).picture(0);
    const at = (part: number): number[] => {
      const from = 3 * ((height >> 1) * width + Math.floor(width * part));
      return [...data.subarray(from, from + 3)];
    };
    pictures.push({ width, height, colours: [...at(0.25), ...at(0.75)] });
  }
  return { facts, pictures };
}

/** Films with a conformance window, with half planes of an odd size rounded up, and with planes in full size. */
const FILMS: [string, string, boolean, string[]][] = [
  ['H.264', 'h264.mp4', false, ['-c:v', 'libx264', '-pix_fmt', 'yuv444p', '-colorspace', 'bt2020nc']],
  ['HEVC', 'hevc.mp4', false, ['-pix_fmt', 'yuv444p', '-colorspace', 'bt2020nc', ...X265, 'log-level=none']],
  ['MJPEG', 'mjpeg.mov', false, ['-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p', '-q:v', '2', '-colorspace', 'bt2020nc']],
  ['VP9', 'vp9.mp4', false, ['-c:v', 'libvpx-vp9', '-pix_fmt', 'yuv420p', '-colorspace', 'bt2020nc']],
  ['HEVC in HDR', 'hdr.mp4', true, ['-pix_fmt', 'yuv444p10le', ...HDR, ...X265, PQ]],
  ['VP9 in HDR', 'hdr-vp9.mp4', true, ['-c:v', 'libvpx-vp9', '-pix_fmt', 'yuv420p10le', '-b:v', '2M', ...HDR]],
];

describe.each(FILMS)('a film of 853 × 479 in %s', (_, name, hdr, encoder) => {
  it('has its true size, and looks like one of even sides', async () => {
    const sides = ['native', 333] as const;
    const { facts, pictures } = await seen(await film(name, [WIDTH, HEIGHT], encoder), sides);
    expect(facts).toMatchObject({ width: WIDTH, height: HEIGHT, hdr });
    expect(pictures.map(({ width, height }) => [width, height])).toEqual([
      [WIDTH, HEIGHT],
      [593, 333],
    ]);
    const even = await seen(await film(name, [854, 480], encoder), ['native']);
    for (const { colours } of pictures) {
      const off = colours.map((level, at) => Math.abs(level - even.pictures[0]!.colours[at]!));
      expect(Math.max(...off)).toBeLessThanOrEqual(3);
    }
  });
});

it('HDR of even sides is shown in an odd size', async () => {
  const { pictures } = await seen(await film('hdr.mp4', [854, 480], FILMS[4]![3]), [333]);
  expect(pictures).toMatchObject([{ width: 592, height: 333 }]);
});
