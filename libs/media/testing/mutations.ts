import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { AditError } from '@adit/contracts';
import { numberedFilm, pdfDocument, randomOf, sampleMedia, transcode } from '@adit/testing';
import { decodeAudio, decodeImage, decodeInterval, decodePage, planGrid, probeMedia } from '../index.js';
import { dsfSine } from './dsf.js';

const SECONDS = 3;
const film = ['-f', 'lavfi', '-i', numberedFilm({ seconds: SECONDS })];
const sound = ['-f', 'lavfi', '-i', `sine=d=${SECONDS}`];
const h264 = ['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-preset', 'veryfast', '-bf', '3', '-g', '25'];
const mpeg2 = ['-pix_fmt', 'yuv420p', '-c:v', 'mpeg2video', '-g', '12', '-bf', '2'];

/** Undamaged files of each kind. */
const WHOLE = {
  async jpeg() {
    const photo = sharp(sampleMedia().groups['sample1']).resize({ width: 480 }).withMetadata({ orientation: 6 });
    return [await photo.clone().jpeg().toBuffer(), await photo.clone().jpeg({ progressive: true }).toBuffer()];
  },
  async png() {
    const photo = sharp(sampleMedia().groups['sample1']).resize({ width: 320 }).withIccProfile('p3');
    return [
      await photo.clone().png().toBuffer(),
      await photo.clone().png({ palette: true, progressive: true }).toBuffer(),
    ];
  },
  async webp() {
    const photo = sharp(sampleMedia().groups['sample1']).resize({ width: 320 });
    const said = photo.clone().ensureAlpha(0.5).withIccProfile('p3').withMetadata({ orientation: 6 });
    return [await photo.clone().webp().toBuffer(), await said.webp({ lossless: true, effort: 2 }).toBuffer()];
  },
  async tiff() {
    const photo = sharp(sampleMedia().groups['sample1']).resize({ width: 320 });
    const black = photo.clone().threshold(128).toColourspace('b-w');
    return [
      await photo.clone().tiff({ compression: 'lzw', predictor: 'horizontal' }).toBuffer(),
      await photo.clone().tiff({ compression: 'deflate', tile: true, bigtiff: true }).toBuffer(),
      await photo.clone().tiff({ compression: 'jpeg' }).toBuffer(),
      await black.tiff({ compression: 'ccittfax4', bitdepth: 1 }).toBuffer(),
      await photo.clone().toColourspace('cmyk').withIccProfile('cmyk').tiff({ compression: 'packbits' }).toBuffer(),
    ];
  },
  async gif() {
    const photo = sharp(sampleMedia().groups['sample1']).resize({ width: 200 });
    return [
      await photo.clone().gif().toBuffer(),
      await made('mutated.gif', ['-f', 'lavfi', '-i', 'testsrc2=s=96x64:r=10:d=1']),
    ];
  },
  async pdf() {
    const jpeg = await sharp(sampleMedia().groups['sample1']).resize({ width: 320 }).jpeg().toBuffer();
    const picture = { jpeg, left: 10, bottom: 10, width: 180 };
    const [upright, across] = [
      { width: 200, height: 280, pictures: [picture], content: '1 0 0 rg 20 200 50 50 re f' },
      { width: 280, height: 200, content: 'q 2 w 10 10 m 250 190 l S Q' },
    ];
    const form = { width: 20, height: 28, fields: [{ ...picture, left: 1, bottom: 1, width: 18 }], userUnit: 10 };
    return [pdfDocument([upright, across]), pdfDocument([across]), pdfDocument([form], { isPacked: true })];
  },
  async sound() {
    const wide = [...sound, '-af', 'aformat=channel_layouts=5.1', '-ar', '48000'];
    return Promise.all([
      made('mutated.aiff', sound),
      made('mutated.aifc', [...sound, '-c:a', 'adpcm_ima_qt']),
      made('mutated.ac3', [...wide, '-c:a', 'ac3']),
      made('mutated.eac3', [...wide, '-c:a', 'eac3']),
      made('mutated.wv', [...sound, '-c:a', 'wavpack']),
      made('mutated.wma', [...sound, '-c:a', 'wmav2']),
      dsfSine({ seconds: 1, hertz: 441 }),
      made('mutated.mp3', sound),
    ]);
  },
  async mp4() {
    return Promise.all([
      made('mutated.mp4', [...film, ...sound, ...h264, '-c:a', 'aac', '-timecode', '10:00:00:00']),
      made('mutated-fragments.mp4', [...film, ...h264, '-movflags', 'frag_keyframe+empty_moov']),
    ]);
  },
  async mpeg() {
    return Promise.all([
      made('mutated.mpg', [...film, ...mpeg2, '-f', 'mpeg']),
      made('mutated.ts', [...film, ...sound, ...h264, '-f', 'mpegts']),
    ]);
  },
  async avi() {
    return Promise.all([
      made('mutated.avi', [...film, ...sound, ...h264, '-c:a', 'mp3']),
      made('mutated-mjpeg.avi', [...film, '-pix_fmt', 'yuvj420p', '-c:v', 'mjpeg']),
    ]);
  },
  async matroska() {
    const vp8 = ['-pix_fmt', 'yuv420p', '-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-g', '25'];
    return Promise.all([
      made('mutated.mkv', [...film, ...sound, ...h264, '-c:a', 'aac']),
      made('mutated.webm', [...film, ...sound, ...vp8, '-c:a', 'libopus', '-f', 'webm', '-live', '1']),
    ]);
  },
  async mxf() {
    return Promise.all([
      made('mutated-mpeg2.mxf', [...film, ...mpeg2]),
      made('mutated-h264.mxf', [...film, ...h264.slice(0, 6), '-bf', '0', '-g', '1']),
    ]);
  },
  async mov() {
    return Promise.all([
      made('mutated.mov', [...film, ...h264, '-timecode', '10:00:00:00']),
      made('mutated-prores.mov', [...film, '-c:v', 'prores_ks']),
    ]);
  },
} satisfies Record<string, () => Promise<Buffer[]>>;

type MediaKind = keyof typeof WHOLE;
export const MEDIA_KINDS = Object.keys(WHOLE) as MediaKind[];

interface MutationRun {
  kind: MediaKind;
  cases: number;
  /** A seed always yields the same cases. */
  seed: number;
  /** First case. */
  from?: number;
  directory: string;
  onCase?(outcome: MutationOutcome): void;
}

interface MutationOutcome {
  kind: MediaKind;
  case: number;
  /** True when any part was decoded. */
  decoded: boolean;
  /** Documented error of the case, or an unexpected one, which is a bug. */
  error: AditError | null;
  fault: string | null;
  /** CPU seconds of this process and of all its children. */
  cpuSeconds: number;
}

/** Damages files of a kind in many ways, and probes and decodes each from end to end. Returns each case. */
export async function tryMutations(run: MutationRun): Promise<MutationOutcome[]> {
  const files = await WHOLE[run.kind]();
  const outcomes: MutationOutcome[] = [];
  const { from = 0 } = run;
  for (let number = from; number < from + run.cases; number++) {
    const random = randomOf(run.seed * 1_000_003 + number);
    const path = join(run.directory, `${run.kind}-${number}`);
    const bytes = mutated(files[number % files.length]!, random);
    await writeFile(path, run.kind === 'png' ? withChecksums(bytes) : bytes);
    const before = await cpuSeconds();
    const outcome = { kind: run.kind, case: number, decoded: false, error: null, fault: null } as MutationOutcome;
    try {
      outcome.decoded = await decodes(path, run.directory);
    } catch (error) {
      if (error instanceof AditError && !error.retryable && error.status < 500) outcome.error = error;
      else outcome.fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
    }
    outcome.cpuSeconds = (await cpuSeconds()) - before;
    outcomes.push(outcome);
    run.onCase?.(outcome);
  }
  return outcomes;
}

/** Probes and decodes a file as the decoder does; returns whether any picture was decoded. */
async function decodes(path: string, directory: string): Promise<boolean> {
  const { facts, index } = await probeMedia(path);
  const specs = [
    { rate: 2, shorterSide: 'native' as const },
    { rate: 1, shorterSide: 64 },
  ];
  if (facts.kind === 'image') return (await decodeImage({ path, facts, specs })).size > 0;
  if (facts.kind === 'pdf') {
    const pages = new Set([0, facts.pages - 1]);
    const drawn = await Promise.all([...pages].map((page) => decodePage({ path, facts, page, specs })));
    return drawn.every(({ size }) => size > 0);
  }
  if (facts.kind === 'audio') {
    const target = join(directory, 'decoded');
    return (await decodeAudio({ path, facts, format: { sampleRate: 16_000, channels: 1 }, target })).samples > 0;
  }
  if (facts.kind !== 'video' || index === null) return false;
  const grid = planGrid(index);
  // The first and the last chunk represent those between.
  for (const interval of new Set([grid[0]!, grid.at(-1)!])) {
    await decodeInterval({ path, facts, index, interval, specs, limits: { directory } });
  }
  return true;
}

const VALUES = [0, 1, 0x7f, 0x80, 0xff];
const WORDS = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x0001_0000];

/** Applies one to eight damages, half of them in the headers at the beginning and the end. */
function mutated(file: Buffer, random: () => number): Buffer {
  let bytes = Buffer.from(file);
  const below = (n: number): number => Math.floor(random() * n);
  const place = (): number => {
    const head = Math.min(bytes.length, 2048);
    return [below(bytes.length), below(bytes.length), below(head), bytes.length - 1 - below(head)][below(4)]!;
  };
  for (let left = 1 + below(8); left > 0 && bytes.length > 8; left--) {
    const at = place();
    const length = 1 + below(Math.min(bytes.length, 2000));
    switch (below(8)) {
      case 0:
        bytes[at] = bytes[at]! ^ (1 << below(8));
        break;
      case 1:
        bytes[at] = VALUES[below(VALUES.length)]!;
        break;
      case 2:
      case 3:
        bytes.writeUInt32BE(WORDS[below(WORDS.length)]!, Math.min(at, bytes.length - 4));
        break;
      case 4:
        for (let i = at; i < Math.min(at + length, bytes.length); i++) bytes[i] = below(256);
        break;
      case 5:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
        break;
      case 6:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at, at + length), bytes.subarray(at)]);
        break;
      case 7:
        if (below(4) === 0) bytes = Buffer.from(bytes.subarray(0, 1 + below(bytes.length)));
        else bytes.fill(0, at, Math.min(at + length, bytes.length));
    }
  }
  return bytes;
}

/** Corrects the checksums of the PNG's chunks; decoders would skip them otherwise. */
function withChecksums(png: Buffer): Buffer {
  for (let at = 8; at + 12 <= png.length;) {
    const end = at + 8 + png.readUInt32BE(at);
    if (end + 4 > png.length) break;
    png.writeUInt32BE(crc32(png.subarray(at + 4, end)), end);
    at = end + 4;
  }
  return png;
}

async function made(name: string, args: string[]): Promise<Buffer> {
  return readFile(await transcode(name, args));
}

/** Returns the CPU seconds of this process and of its ended children. Only Linux counts the children. */
async function cpuSeconds(): Promise<number> {
  const stat = await readFile('/proc/self/stat', 'utf8').catch(() => null);
  const own = process.cpuUsage();
  if (stat === null) return (own.user + own.system) / 1e6;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (own.user + own.system) / 1e6 + (Number(fields[13]) + Number(fields[14])) / 100;
}
