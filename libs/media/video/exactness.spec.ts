/** @needs ffmpeg, time */
import { expect } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { cachedMedia, cutAt, fpsMode, numberedFilm, quarterTurned, transcode } from '@adit/testing';
import { expectExactFilms, type ExactFilm } from '../testing/exact-films.js';

const run = promisify(execFile);
const SECONDS = 25;
const film = numberedFilm({ seconds: SECONDS });
const source = ['-f', 'lavfi', '-i', film];
const x264 = ['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-preset', 'veryfast'];
const mpeg2 = ['-pix_fmt', 'yuv420p', '-c:v', 'mpeg2video', '-b:v', '1500k', '-bf', '2'];
const oneKeyframe = [
  ...['-f', 'lavfi', '-i', numberedFilm({ seconds: 45 })],
  ...x264,
  ...['-g', '9999', '-keyint_min', '9999', '-sc_threshold', '0'],
];
const interlacedFilm = ['-f', 'lavfi', '-i', numberedFilm({ seconds: SECONDS, rate: '50', hold: 2 })];

/** The first nine tenths of a film. */
async function cutOf(name: string, args: string[]): Promise<string> {
  const whole = await transcode(name, args);
  return cachedMedia(`cut-${name}`, [whole, '0.9'], async (path) => {
    await writeFile(path, cutAt(await readFile(whole), 0.9));
  });
}

const all = SECONDS * 25;
const rows: Record<string, ExactFilm> = {
  'MP4, H.264 with B-frames': {
    make: () => transcode('bframes.mp4', [...source, ...x264, '-bf', '3', '-g', '50']),
    facts: {
      codec: 'h264',
      fps: { num: 25, den: 1 },
      totalFrames: all,
      variableFrameRate: false,
      width: 192,
      height: 96,
    },
  },
  'MP4, H.264 with open GOPs': {
    make: () =>
      transcode('open-gop.mp4', [
        ...source,
        ...x264,
        '-x264-params',
        'open-gop=1:bframes=3:keyint=60:min-keyint=60:scenecut=0',
      ]),
    facts: { totalFrames: all },
  },
  'MP4 cut by an edit list': {
    make: async () => {
      const whole = await transcode('bframes.mp4', [...source, ...x264, '-bf', '3', '-g', '50']);
      return transcode('edit-list.mp4', ['-ss', '3.3', '-i', whole, '-c', 'copy']);
    },
    facts: {},
  },
  'MP4 cut by an edit list far behind a keyframe': {
    make: async () => {
      const whole = await transcode('one-key.mp4', oneKeyframe);
      return transcode('far-cut.mp4', ['-ss', '12', '-i', whole, '-c', 'copy']);
    },
    facts: {},
  },
  'MP4, one keyframe': {
    // Films with one keyframe are cut into longer chunks.
    make: () => transcode('one-key.mp4', oneKeyframe),
    facts: { totalFrames: 45 * 25 },
  },
  'MP4, HEVC in 10 bit': {
    make: () =>
      transcode('hevc.mp4', [
        ...source,
        '-pix_fmt',
        'yuv420p10le',
        '-c:v',
        'libx265',
        '-preset',
        'ultrafast',
        '-x265-params',
        'log-level=none:keyint=50',
        '-tag:v',
        'hvc1',
      ]),
    facts: { codec: 'hevc', bitDepth: 10, totalFrames: all },
  },
  'MP4 with a varying frame rate': {
    make: () =>
      transcode('vfr.mp4', [
        '-f',
        'lavfi',
        '-i',
        `${film},select='not(mod(n,5))+lt(mod(n,40),17)'`,
        ...fpsMode('vfr'),
        ...x264,
        '-g',
        '40',
        '-bf',
        '2',
      ]),
    facts: { variableFrameRate: true },
  },
  'MP4 at 29.97': {
    make: () =>
      transcode('ntsc.mp4', [
        '-f',
        'lavfi',
        '-i',
        numberedFilm({ seconds: SECONDS, rate: '30000/1001' }),
        '-timecode',
        '01:00:00;00',
        ...x264,
        '-g',
        '60',
      ]),
    facts: { fps: { num: 30000, den: 1001 }, startTimecode: '01:00:00;00', variableFrameRate: false },
  },
  'MP4 with odd sides': {
    make: () =>
      transcode('odd.mp4', [
        '-f',
        'lavfi',
        '-i',
        `${film},scale=193:97,setsar=1`,
        '-pix_fmt',
        'yuv444p',
        '-c:v',
        'libx264',
        '-preset',
        'veryfast',
        '-g',
        '50',
      ]),
    facts: { width: 193, height: 97 },
  },
  'MP4 with square-less pixels': {
    make: () => transcode('sar.mp4', ['-f', 'lavfi', '-i', `${film},setsar=16/11`, ...x264, '-g', '50']),
    facts: { width: 279, height: 96, sampleAspectRatio: { num: 16, den: 11 } },
  },
  'MOV, ProRes with a timecode': {
    make: () =>
      transcode('prores.mov', [...source, '-c:v', 'prores_ks', '-profile:v', '0', '-timecode', '10:00:00:00']),
    facts: { codec: 'prores', startTimecode: '10:00:00:00', bitDepth: 10, totalFrames: all },
  },
  'MOV, H.264 turned by 90 degrees': {
    make: async () => {
      const upright = await transcode('bframes.mp4', [...source, ...x264, '-bf', '3', '-g', '50']);
      return transcode('turned.mov', quarterTurned(upright));
    },
    facts: { rotation: 270, width: 96, height: 192 },
    turned: 270,
  },
  'MPEG-PS, MPEG-2': {
    make: () => transcode('mpeg2.mpg', [...source, ...mpeg2, '-g', '15', '-f', 'vob']),
    facts: { codec: 'mpeg2video', totalFrames: all },
  },
  'MPEG-PS, MPEG-1': {
    make: () =>
      transcode('mpeg1.mpg', [...source, '-c:v', 'mpeg1video', '-b:v', '1500k', '-bf', '2', '-g', '15', '-f', 'mpeg']),
    facts: { codec: 'mpeg1video', totalFrames: all },
  },
  'MPEG-TS, MPEG-2 with open GOPs': {
    make: () => transcode('mpeg2.ts', [...source, ...mpeg2, '-g', '30', '-f', 'mpegts']),
    facts: { codec: 'mpeg2video', totalFrames: all },
  },
  'MPEG-TS, H.264, starting late': {
    make: () =>
      transcode('h264.ts', [...source, ...x264, '-bf', '3', '-g', '50', '-output_ts_offset', '4000', '-f', 'mpegts']),
    facts: { codec: 'h264', totalFrames: all },
  },
  'MPEG-TS, H.264 with open GOPs, cut in the middle of one': {
    make: async () => {
      const whole = await transcode('open-gop.ts', [
        ...source,
        ...x264,
        '-x264-params',
        'open-gop=1:bframes=3:keyint=60:min-keyint=60:scenecut=0',
        '-f',
        'mpegts',
      ]);
      const start = await middleOfOpenGop(whole);
      return cachedMedia('joined-late.ts', [whole, String(start)], async (path) => {
        await writeFile(path, (await readFile(whole)).subarray(start));
      });
    },
    facts: { codec: 'h264' },
  },
  /** @hardening media: A frame rate is averaged over gaps and jumps */
  'MPEG-TS, clock wrapping': {
    make: () =>
      transcode('wrap.ts', [...source, ...x264, '-bf', '3', '-g', '50', '-output_ts_offset', '95430', '-f', 'mpegts']),
    facts: { totalFrames: all },
  },
  'MXF, MPEG-2': {
    make: () => transcode('mpeg2.mxf', [...source, ...mpeg2, '-g', '12', '-timecode', '09:59:30:00']),
    facts: { codec: 'mpeg2video', startTimecode: '09:59:30:00', totalFrames: all },
  },
  'MXF, H.264': {
    make: () => transcode('h264.mxf', [...source, ...x264, '-bf', '2', '-g', '50']),
    facts: { codec: 'h264', totalFrames: all },
  },
  // An interrupted or growing recording has no index, because it is written at the end.
  /** @hardening media: An MXF file without an index shows the wrong frames */
  'MXF without an index, MPEG-2': {
    make: () => cutOf('mpeg2.mxf', [...source, ...mpeg2, '-g', '12', '-timecode', '09:59:30:00']),
    facts: { codec: 'mpeg2video', startTimecode: '09:59:30:00' },
  },
  'MXF without an index, MPEG-2, intra': {
    make: () => cutOf('intra.mxf', [...source, ...mpeg2.slice(0, 4), '-g', '1', '-q:v', '4']),
    facts: { codec: 'mpeg2video' },
  },
  /** @hardening media: A file is refused without its format's name */
  'MXF without an index, H.264 with open GOPs': {
    make: () =>
      cutOf('open-gop.mxf', [...source, ...x264, '-x264-params', 'open-gop=1:bframes=3:keyint=50:scenecut=0']),
    facts: { codec: 'h264', fps: { num: 25, den: 1 } },
  },
  'MPEG-2, interlaced': {
    make: () =>
      transcode('interlaced.ts', [
        ...interlacedFilm.slice(0, 3),
        `${interlacedFilm[3]},tinterlace=mode=interleave_top,fieldorder=tff`,
        ...mpeg2,
        '-flags',
        '+ildct+ilme',
        '-g',
        '15',
        '-f',
        'mpegts',
      ]),
    facts: { interlaced: true, totalFrames: all },
  },
  'H.264, interlaced': {
    make: () =>
      transcode('interlaced.mp4', [
        ...interlacedFilm.slice(0, 3),
        `${interlacedFilm[3]},tinterlace=mode=interleave_top,fieldorder=tff`,
        ...x264,
        '-flags',
        '+ildct+ilme',
        '-x264-params',
        'tff=1',
        '-g',
        '50',
      ]),
    facts: { interlaced: true, totalFrames: all },
  },
};

/**
 * Returns the byte position of a packet halfway between the first keyframe and one with leading pictures, which refer
 * to frames that a film joined there lacks.
 */
async function middleOfOpenGop(path: string): Promise<number> {
  const { stdout } = await run(process.env.ADIT_FFPROBE ?? 'ffprobe', [
    ...['-v', 'error', '-select_streams', 'v', '-show_entries', 'packet=pts,pos,flags', '-of', 'json', path],
  ]);
  const { packets } = JSON.parse(stdout) as { packets: { pts: number; pos: string; flags: string }[] };
  const next = packets.findIndex(({ pts, flags }, i) => {
    return i > 0 && flags.startsWith('K') && (packets[i + 1]?.pts ?? Infinity) < pts;
  });
  expect(next).toBeGreaterThan(2);
  return Number(packets[next >> 1]?.pos);
}

expectExactFilms(rows);
