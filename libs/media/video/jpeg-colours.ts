import type { VideoFacts } from '@adit/contracts';
import type { FfmpegFilter } from '../ffmpeg/ffmpeg-binary.js';
import type { PictureHints } from './frame-index.js';

/** Properties of decoded pictures that decide how they become those of a JPEG. */
export type ColourHints = Pick<PictureHints, 'colorMatrix' | 'colorTransfer' | 'pixelFormat'>;

type Size = { width: number; height: number };

/** Names of film matrices in `colorspace`. */
const FAST_MATRICES = new Map([
  ['bt601', 'smpte170m'],
  ['bt709', 'bt709'],
  ['fcc', 'fcc'],
  ['smpte240m', 'smpte240m'],
  ['bt2020', 'bt2020ncl'],
]);

/**
 * Converts the film's colours to JPEG's at the original size; null where `scale` has to do it. `scale` goes through RGB
 * for another matrix, which takes longer than decoding the frame and loses a level or two, and its results differ
 * between ffmpeg versions by one to several levels. `colorspace` gives the same on all of them, for planes of even
 * sides only.
 */
export function fastColours(facts: VideoFacts, hints: ColourHints, filters: ReadonlySet<FfmpegFilter>): string | null {
  const matrix = facts.hdr || !filters.has('colorspace') ? null : inputMatrix(facts, hints);
  const known = matrix === null ? undefined : FAST_MATRICES.get(matrix);
  if (
    known === undefined ||
    !isStoredEven(facts) ||
    !/^yuv(j?4(20|22|44)p|4(20|22|44)p1[02](le)?)$/.test(hints.pixelFormat)
  )
    return null;
  return `colorspace=ispace=${known}:iprimaries=bt709:itrc=bt709:all=bt601-6-625:range=pc:fast=1`;
}

/** Tests whether both sides of the decoded pictures are known to be even. */
function isStoredEven({ width, height, rotation, sampleAspectRatio: { num, den } }: VideoFacts): boolean {
  const isPlain = rotation === 0 || num === den;
  return isPlain && [(width * den) / num, height].every((side) => Math.abs(side / 2 - Math.round(side / 2)) < 0.01);
}

/** Tone-maps through full planes, since `zscale` handles half-size planes for even sides only. */
function tonemapped(facts: VideoFacts, hints: ColourHints, { width, height }: Size): string[] {
  const transfer = hints.colorTransfer === 'arib-std-b67' ? 'arib-std-b67' : 'smpte2084';
  const whole = hints.pixelFormat.replace(/^yuv4[12][0-2]p/, 'yuv444p');
  return [
    ...(isStoredEven(facts) || whole === hints.pixelFormat ? [] : ['scale=flags=bicubic', `format=${whole}`]),
    // Frames may lack tags, so the input is stated. Linear light in the working size, 203 cd/m² = diffuse white (ITU-R
    // BT.2408).
    `zscale=w=${width}:h=${height}:f=bicubic:tin=${transfer}:pin=bt2020:min=bt2020nc:t=linear:npl=203`,
    'format=gbrpf32le',
    'zscale=p=bt709',
    'tonemap=hable:desat=0',
    // Colours outside BT.709 are negative here, and zimg versions render them as black or dark ones, so they are
    // clipped.
    'zscale=r=pc',
    'format=gbrp16le',
    'zscale=tin=linear:rin=pc:t=bt709:m=470bg:r=pc',
    ...(width % 2 === 0 && height % 2 === 0 ? [] : ['format=yuvj444p', 'scale=flags=bicubic']),
    'format=yuvj420p',
    'setsar=1',
  ];
}

/** Converts to JPEG's colours, unless they are already (`isJpegColours`). */
export function toJpegPicture(
  facts: VideoFacts,
  hints: ColourHints,
  output: Size,
  filters: ReadonlySet<FfmpegFilter>,
  isJpegColours: boolean,
): string[] {
  if (facts.hdr && filters.has('zscale') && filters.has('tonemap')) return tonemapped(facts, hints, output);
  const { width, height } = output;
  const matrix = isJpegColours ? 'bt601' : inputMatrix(facts, hints);
  const from = matrix === null ? '' : `:in_color_matrix=${matrix}${isJpegColours ? ':in_range=pc' : ''}`;
  // JPEG (JFIF) is BT.601 in full range.
  return [
    `scale=w=${width}:h=${height}:flags=bicubic${from}:out_color_matrix=bt601:out_range=pc`,
    'format=yuvj420p',
    'setsar=1',
  ];
}

/** Returns the matrix of the film's colours in the scale filter's terms; untagged films are HD's from 720 lines on. */
function inputMatrix(facts: VideoFacts, hints: ColourHints): string | null {
  const { colorMatrix, pixelFormat } = hints;
  if (/^(gbr|rgb|bgr|argb|abgr|gray|pal|0rgb|0bgr)/.test(pixelFormat)) return null;
  switch (colorMatrix) {
    case 'bt709':
    case 'fcc':
    case 'smpte240m':
      return colorMatrix;
    case 'bt2020nc':
    case 'bt2020c':
      return 'bt2020';
    case 'bt470bg':
    case 'smpte170m':
      return 'bt601';
    default:
      return Math.min(facts.width, facts.height) >= 720 ? 'bt709' : 'bt601';
  }
}
