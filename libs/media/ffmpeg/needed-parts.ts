import { childText } from '../sandbox/run-child.js';
import { ffmpegPath } from './ffmpeg-binary.js';

/** What ffmpeg's command lines in this package name, and codecs of media that are mined. */
export const NEEDED_PARTS = {
  encoder: ['aac', 'libx264', 'mjpeg', 'pcm_f32le', 'png', 'rawvideo'],
  muxer: ['f32le', 'framehash', 'image2', 'mp4'],
  filter: [
    ...[
      'aformat',
      'ametadata',
      'aresample',
      'asetpts',
      'asplit',
      'astats',
      'atrim',
      'format',
      'pan',
      'scale',
      'select',
    ],
    ...['setpts', 'setsar', 'settb', 'showwavespic', 'split', 'thumbnail', 'trim'],
  ],
  decoder: [
    ...['av1', 'dvvideo', 'h264', 'hevc', 'mjpeg', 'mpeg2video', 'mpeg4', 'prores', 'vp8', 'vp9'],
    ...['aac', 'ac3', 'alac', 'dsd_lsbf', 'eac3', 'flac', 'mp3', 'opus', 'pcm_s16le', 'pcm_s24le', 'vorbis'],
    ...['wavpack', 'wmav2'],
  ],
} as const;
export type FfmpegPart = keyof typeof NEEDED_PARTS;

/** What ffmpeg's texts call a part that it does not have. A name in a film begins no line like these. */
const LACKS: [part: FfmpegPart, text: RegExp][] = [
  ['encoder', /^(?:\[[^\]]*\] )*Unknown encoder '(\w+)'/m],
  ['muxer', /^(?:\[[^\]]*\] )*Requested output format '(\w+)' is not (?:a suitable|known)/m],
  ['filter', /^(?:\[[^\]]*\] )*No such filter: '(\w+)'/m],
];

/** The part that a run of ffmpeg asked for in vain, as `encoder png`; null when it failed of something else. */
export function lackedPart(stderr: string): string | null {
  for (const [part, text] of LACKS) {
    const name = text.exec(stderr)?.[1];
    if (name !== undefined) return `${part} ${name}`;
  }
  return null;
}

/** Lists of ffmpeg, and how the line of a part that is there begins: its flags, then its name. */
const LISTS: Record<FfmpegPart, { option: string; line: RegExp }> = {
  encoder: { option: '-encoders', line: /^ [VAS][A-Z.]{5} (\w+) / },
  muxer: { option: '-muxers', line: /^ +[D ]?E[d ]* +([\w,]+) / },
  filter: { option: '-filters', line: /^ [A-Z.]{2,3} (\w+) / },
  // Of codecs, not of decoders: mp3 is decoded by mp3float.
  decoder: { option: '-codecs', line: /^ D[A-Z.]{5} (\w+) / },
};

/** Needed parts that this build of ffmpeg does not have; the decoders come last. */
export async function missingParts(): Promise<{ part: FfmpegPart; name: string }[]> {
  const path = await ffmpegPath();
  const missing = async (part: FfmpegPart) => {
    const { option, line } = LISTS[part];
    const lines = (await childText(path, ['-hide_banner', option])).split('\n');
    const there = new Set(lines.flatMap((each) => line.exec(each)?.[1]?.split(',') ?? []));
    return NEEDED_PARTS[part].filter((name) => !there.has(name)).map((name) => ({ part, name }));
  };
  const parts = ['encoder', 'muxer', 'filter', 'decoder'] as const;
  return (await Promise.all(parts.map(missing))).flat();
}
