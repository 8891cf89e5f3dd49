import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sharp } from 'sharp';
import {
  frameSpecName,
  pageFacts,
  type FrameSpec,
  type ImageFacts,
  type MediaKind,
  type PackedFrame,
  type PdfFacts,
} from '@adit/contracts';
import { decodePictures, sizeKey, type DecodeIntervalRequest } from './video/chunk-run.js';
import { barePicture } from './picture/bare-picture.js';
import type { GraphOutput } from './video/decode-graph.js';
import { packFrames } from './video/frame-pack.js';
import type { OpenDocuments } from './pdf/open-documents.js';
import { drawPage } from './pdf/pdf.js';
import { DEFAULT_MAX_PIXELS, decodeImageFile, openPicture, rawPicture, unreadable } from './picture/picture.js';
import { plainJpeg } from './picture/plain-jpeg.js';
import { sampleFrames, type SampledFrame } from './plan.js';

/** Returns the displayed size of a spec's pictures: the shorter side scaled down to the spec's, never up. */
export function pictureSize(
  displayed: { width: number; height: number; kind?: MediaKind },
  spec: Pick<FrameSpec, 'shorterSide' | 'images'>,
): { width: number; height: number } {
  const { width, height } = displayed;
  const shorter = Math.min(width, height);
  const side = (displayed.kind === 'image' ? spec.images : undefined) ?? spec.shorterSide;
  if (side === 'native' || side >= shorter) return { width, height };
  const scale = side / shorter;
  return { width: Math.max(Math.round(width * scale), 1), height: Math.max(Math.round(height * scale), 1) };
}

/**
 * Decodes one chunk in one ffmpeg run to a frame pack per spec, by the spec's name. Specs with identical pictures share
 * a pack. Where the film is damaged a pack has fewer frames, each under its true number. Throws MEDIA_INVALID when
 * ffmpeg fails without any picture, LIMIT_EXCEEDED past the limits on time or memory.
 */
export async function decodeInterval(request: DecodeIntervalRequest): Promise<Map<string, Buffer>> {
  const { facts, index, interval, specs, limits = {} } = request;
  const wanted = specs.map((spec) => ({
    name: frameSpecName(spec),
    size: pictureSize(facts, spec),
    samples: sampleFrames(index, interval, spec.rate),
  }));
  const outputs = outputsOf(wanted);
  const packs = new Map<string, Buffer>();
  if (outputs.length === 0) {
    for (const { name } of wanted) packs.set(name, packFrames([], []));
    return packs;
  }
  const directory = await mkdtemp(join(limits.directory ?? tmpdir(), 'adit-chunk-'));
  try {
    const pictures = await decodePictures(request, outputs, directory);
    const shared = new Map<string, Buffer>();
    for (const { name, size, samples } of wanted) {
      const key = `${sizeKey(size)} ${samples.map((sample) => sample.frame).join()}`;
      let pack = shared.get(key);
      if (!pack) {
        pack = await packOf(samples, size, pictures.get(sizeKey(size)) ?? new Map<number, string>());
        shared.set(key, pack);
      }
      packs.set(name, pack);
    }
    return packs;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Decodes an image to one single-frame pack per spec, by the spec's name: EXIF orientation applied, transparency over
 * white, sRGB in 8 bit. The native picture keeps the file's own JPEG data where that is already such a picture, else it
 * is encoded at JPEG quality 95 without chroma subsampling. A picture of ordinary size is decoded once for all specs.
 * Throws MEDIA_INVALID for a damaged picture or one above `maxPixels`.
 */
export async function decodeImage(request: {
  path: string;
  facts: ImageFacts;
  specs: readonly FrameSpec[];
  limits?: { maxPixels?: number };
}): Promise<Map<string, Buffer>> {
  const { path, facts, specs } = request;
  const sizes = sizesOf(facts, specs);
  const maxPixels = request.limits?.maxPixels ?? DEFAULT_MAX_PIXELS;
  try {
    const own = [...sizes.values()].some((size) => isWhole(size, facts)) && facts.format === 'jpeg';
    const plain = own ? await plainJpeg(await barePicture(path), facts, { maxPixels, whole: sizes.size > 1 }) : null;
    const open = await opener(path, facts, { maxPixels, times: sizes.size - (plain === null ? 0 : 1) });
    return await picturePacks(facts, specs, open, plain);
  } catch (error) {
    throw unreadable(error);
  }
}

/**
 * Decodes a page of a document in the same way. Throws MEDIA_INVALID when it cannot be read, LIMIT_EXCEEDED past the
 * limits on time or memory.
 */
export async function decodePage(
  request: { path: string; facts: PdfFacts; page: number; specs: readonly FrameSpec[]; documents?: OpenDocuments },
  signal?: AbortSignal,
): Promise<Map<string, Buffer>> {
  const drawn = await rawPicture(await drawPage(request, signal));
  return picturePacks(pageFacts(request.facts, request.page), request.specs, () => drawn.clone());
}

/**
 * Returns a single-frame pack per spec. `open` gives a pipeline of the displayed picture; `native` is its JPEG where
 * there is one.
 */
async function picturePacks(
  facts: ImageFacts,
  specs: readonly FrameSpec[],
  open: () => Sharp,
  native: Buffer | null = null,
): Promise<Map<string, Buffer>> {
  const bySize = new Map(
    await Promise.all(
      [...sizesOf(facts, specs)].map(async ([key, size]): Promise<[string, Buffer]> => {
        const jpeg = isWhole(size, facts)
          ? (native ??
            (await open()
              .jpeg({ ...PACKED, quality: 95, chromaSubsampling: '4:4:4' })
              .toBuffer()))
          : await open()
              .resize({ ...size, fit: 'fill' })
              .jpeg({ ...PACKED, quality: 92 })
              .toBuffer();
        return [key, packFrames([{ frame: 0, pts: 0, time: 0, ...size }], [jpeg])];
      }),
    ),
  );
  return new Map(
    specs.flatMap((spec) => {
      const pack = bySize.get(sizeKey(pictureSize(facts, spec)));
      return pack === undefined ? [] : [[frameSpecName(spec), pack] as const];
    }),
  );
}

/** Returns the distinct sizes that specs ask of a picture. */
function sizesOf(facts: ImageFacts, specs: readonly FrameSpec[]): Map<string, Size> {
  return new Map(specs.map((spec) => pictureSize(facts, spec)).map((size) => [sizeKey(size), size]));
}

function isWhole(size: Size, { width, height }: ImageFacts): boolean {
  return size.width === width && size.height === height;
}

type Size = { width: number; height: number };

/** A pack lives for seconds: optimised tables would save a few per cent of bytes and double the time. */
const PACKED = { optimiseCoding: false } as const;

/** Largest picture, in pixels, that is kept decoded in memory for several outputs: 48 MB, above what a phone takes. */
export const MAX_SHARED_PIXELS = 16_000_000;

/** Returns a factory of pipelines of the displayed picture, which is decoded once where it is small enough. */
async function opener(
  path: string,
  facts: ImageFacts,
  { maxPixels, times }: { maxPixels: number; times: number },
): Promise<() => Sharp> {
  if (times < 2 || facts.width * facts.height > MAX_SHARED_PIXELS) {
    const file = await openPicture(path, maxPixels);
    return () => file.clone();
  }
  const picture = await rawPicture(await decodeImageFile(path, { maxPixels }));
  return () => picture.clone();
}

type Wanted = { name: string; size: Size; samples: SampledFrame[] };

/** Returns one output per distinct size, with the frames that any of its specs samples. */
function outputsOf(wanted: readonly Wanted[]): GraphOutput[] {
  const bySize = new Map<string, { width: number; height: number; frames: Set<number> }>();
  for (const { size, samples } of wanted) {
    if (samples.length === 0) continue;
    const output = bySize.get(sizeKey(size)) ?? { ...size, frames: new Set<number>() };
    for (const sample of samples) output.frames.add(sample.frame);
    bySize.set(sizeKey(size), output);
  }
  return [...bySize.values()].map((output) => ({ ...output, frames: [...output.frames].sort((a, b) => a - b) }));
}

async function packOf(
  samples: readonly SampledFrame[],
  size: { width: number; height: number },
  pictures: ReadonlyMap<number, string>,
): Promise<Buffer> {
  const frames: PackedFrame[] = [];
  const jpegs: Buffer[] = [];
  for (const sample of samples) {
    const file = pictures.get(sample.frame);
    if (file === undefined) continue;
    const jpeg = await readFile(file);
    // The last file is empty when ffmpeg was stopped while writing it.
    if (jpeg.length === 0) continue;
    frames.push({ ...sample, ...size });
    jpegs.push(jpeg);
  }
  return packFrames(frames, jpegs);
}
