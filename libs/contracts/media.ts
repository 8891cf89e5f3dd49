import { z } from 'zod';

/** An exact fraction, as ffprobe states frame rates and time bases (30000/1001). */
export const Rational = z.object({
  num: z.int().describe('Numerator'),
  den: z.int().positive().describe('Denominator'),
});
export type Rational = z.infer<typeof Rational>;

export const MediaType = z
  .enum(['image', 'video', 'audio', 'videostream', 'pdf', 'xml'])
  .describe(
    'By content. A `pdf` is mined page by page, as pictures are. A `videostream` is live. `xml` is a name for what is to come: such sources are refused.',
  );
export type MediaType = z.infer<typeof MediaType>;

/** One of the audio streams of a film. */
export const AudioStream = z.object({
  stream: z.int().describe('Index of the stream in the file'),
  codec: z.string().describe('Codec, as ffprobe names it'),
  channels: z.int().describe('Channels of sound'),
  sampleRate: z.int().describe('Samples a second'),
  language: z
    .string()
    .optional()
    .describe('Language stated by the file, in ISO 639-1 if possible; left out if not stated'),
});
export type AudioStream = z.infer<typeof AudioStream>;

/** Time in a film without pictures: more of it at once than splits a segment (`gapOf`). Seconds from the first frame. */
export const ClockGaps = z.object({
  count: z.int().positive().describe('Their number'),
  seconds: z.number().positive().describe('Seconds of all of them together'),
  longest: z
    .array(
      z.object({
        from: z.number().describe('Seconds from the first frame'),
        to: z.number().describe('Seconds from the first frame'),
      }),
    )
    .describe('The longest, in the order of time'),
});
export type ClockGaps = z.infer<typeof ClockGaps>;

/** The probe's findings about a film. Sizes are of the displayed frame: rotated, square pixels. */
export const VideoFacts = z.object({
  kind: z.literal('video').describe('Always `video`'),
  container: z.string().describe('Container, as ffprobe names it'),
  codec: z.string().describe('Codec, as ffprobe names it'),
  stream: z.int().nonnegative().describe('Index of the chosen video stream in the file'),
  width: z.int().positive().describe('In pixels, as displayed'),
  height: z.int().positive().describe('In pixels, as displayed'),
  fps: Rational.describe(
    'Frames a second by the distance that frames usually have; the average where there is no usual one',
  ),
  variableFrameRate: z
    .boolean()
    .describe("Whether a frame's number does not tell its time: distances vary, or frames are missing"),
  totalFrames: z.int().nonnegative().describe('Frames of the film'),
  duration: z
    .number()
    .nonnegative()
    .describe(
      "Seconds from the first frame's presentation to the last frame's end, or that of the sound where it lasts longer",
    ),
  timeBase: Rational.describe('Seconds per pts tick'),
  startPts: z.int().describe('pts of the first displayed frame, in ticks; segment times count from here'),
  startTimecode: z
    .string()
    .nullable()
    .describe('SMPTE timecode of the first frame, `HH:MM:SS:FF` or `HH:MM:SS;FF`; null when the file carries none'),
  timecodeRate: Rational.optional().describe(
    'Numbers a second of its timecode, where that is not the frame rate: 25 in 50p',
  ),
  rotation: z.int().describe('Degrees by which stored frames are turned for display'),
  interlaced: z.boolean().describe('Whether frames are stored as two fields'),
  sampleAspectRatio: Rational.describe('Width of a stored pixel over its height'),
  bitDepth: z.int().positive().describe('Bits of each colour of a pixel'),
  hdr: z.boolean().describe('Whether it has a high dynamic range'),
  audioStreams: z.array(AudioStream).describe('Its tracks of sound'),
  live: z
    .literal(true)
    .optional()
    .describe(
      'True of a live stream: its frames and its duration are not known before it has ended; left out of films',
    ),
  gaps: ClockGaps.optional().describe('Time without pictures; left out where there is none'),
});
export type VideoFacts = z.infer<typeof VideoFacts>;

/** True of a live stream, while it runs and afterwards. */
export function isLiveStream(facts: MediaFacts): boolean {
  return (facts.kind === 'video' || facts.kind === 'audio') && facts.live === true;
}

/** Displayed size, EXIF rotation applied. */
export const ImageFacts = z.object({
  kind: z.literal('image').describe('Always `image`'),
  format: z.string().describe('`jpeg`, `png`, `webp`, `tiff`, `gif`, or `pdf` of a page; there may be more'),
  width: z.int().positive().describe('In pixels, as displayed'),
  height: z.int().positive().describe('In pixels, as displayed'),
});
export type ImageFacts = z.infer<typeof ImageFacts>;

/** A document, each page of which is looked at as a picture. */
export const PdfFacts = z.object({
  kind: z.literal('pdf').describe('Always `pdf`'),
  pages: z.int().positive().describe('Pages of the document'),
  sizes: z
    .array(
      z.object({
        from: z.int().nonnegative().describe('First page of that size, counted from 0'),
        width: z.int().positive().describe('In pixels'),
        height: z.int().positive().describe('In pixels'),
      }),
    )
    .min(1)
    .describe('Pixels that pages are drawn with, from page `from` on; the first is of page 0'),
});
export type PdfFacts = z.infer<typeof PdfFacts>;

/** A page of a document as the picture that it is looked at as. `page` counts from 0. */
export function pageFacts({ sizes }: PdfFacts, page: number): ImageFacts {
  const { width, height } = sizes.findLast(({ from }) => from <= page) ?? { width: 1, height: 1 };
  return { kind: 'image', format: 'pdf', width, height };
}

export const AudioFacts = z.object({
  kind: z.literal('audio').describe('Always `audio`'),
  container: z.string().describe('Container, as ffprobe names it'),
  codec: z.string().describe('Codec, as ffprobe names it'),
  duration: z.number().nonnegative().describe('Seconds'),
  channels: z.int().positive().describe('Channels of sound'),
  sampleRate: z.int().positive().describe('Samples a second'),
  live: z
    .literal(true)
    .optional()
    .describe('True of a live stream without pictures: its duration is not known before it has ended; else left out'),
});
export type AudioFacts = z.infer<typeof AudioFacts>;

export const MediaFacts = z.discriminatedUnion('kind', [VideoFacts, ImageFacts, AudioFacts, PdfFacts]);
export type MediaFacts = z.infer<typeof MediaFacts>;

/** Kind of a source. */
export type MediaKind = MediaFacts['kind'];

/**
 * The frames one chunk owns: `frameStart` inclusive to `frameEnd` exclusive, numbered from the start of the source in
 * presentation order, and the same interval in pts ticks. Decoding starts at the keyframe `seekPts`.
 */
export const FrameInterval = z.object({
  frameStart: z.int().nonnegative(),
  frameEnd: z.int().positive(),
  ptsStart: z.int(),
  ptsEnd: z.int(),
  seekPts: z.int(),
  /**
   * True for the chunk that a range begins with: its first frame is analysed even if the sampling rate would skip it.
   */
  first: z.literal(true).optional(),
});
export type FrameInterval = z.infer<typeof FrameInterval>;

/** The interval of sound that one chunk owns, in milliseconds from the source's start: `startMs` inclusive, `endMs` exclusive. */
export const AudioInterval = z.object({ startMs: z.int().nonnegative(), endMs: z.int().positive() });
export type AudioInterval = z.infer<typeof AudioInterval>;

/**
 * The part of its media that one unit is: a whole picture or one page of a document (counted from 0), frames of a film,
 * or sound, of a film or alone.
 */
export const Extent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('image'), page: z.int().nonnegative().optional() }),
  z.object({ kind: z.literal('video'), interval: FrameInterval }),
  z.object({ kind: z.literal('audio'), interval: AudioInterval }),
]);
export type Extent = z.infer<typeof Extent>;

/** An extent as rows keep it: the first builds knew no kinds, and wrote null for pictures and the bare interval for frames. */
export type StoredExtent = FrameInterval | ({ kind: 'audio' } & AudioInterval) | { kind: 'image'; page: number } | null;

export function extentOf(stored: StoredExtent): Extent {
  if (stored === null) return { kind: 'image' };
  if (!('kind' in stored)) return { kind: 'video', interval: stored };
  if (stored.kind === 'image') return stored;
  const { kind, ...interval } = stored;
  return { kind, interval };
}

export function storedExtent(extent: Extent): StoredExtent {
  switch (extent.kind) {
    case 'image':
      return extent.page === undefined ? null : { kind: 'image', page: extent.page };
    case 'video':
      return extent.interval;
    case 'audio':
      return { kind: 'audio', ...extent.interval };
  }
}

/**
 * Raised whenever the same file would give other pixels or other frames: another filter graph, scaler, colour conversion,
 * JPEG quality, or a decoder that is not bit-exact with the one before. 2: films without an index show the right pictures. 3: pages
 * show their forms, and count their units. 4: colours are the same on every version of ffmpeg; those of HDR that BT.709 has not are cut off.
 */
export const DECODER_VERSION = 4;

/** Pictures that an analysis needs. The spec, never the job, decides what is decoded. */
export const FrameSpec = z.object({
  /** Sampled frames per second of media time; the first frame at or after each multiple of 1/rate, and the first of a range.
   * Ignored for images. */
  rate: z.number().positive(),
  /** Pixels of the picture's shorter side after scaling; never enlarged. `native` keeps the displayed size. */
  shorterSide: z.union([z.int().positive(), z.literal('native')]),
  /** Images keep their displayed size, whatever `shorterSide` says of the frames of films. */
  images: z.literal('native').optional(),
  /** DECODER_VERSION that the pictures are asked of; left out by the builds of version 1. */
  decoder: z.int().positive().optional(),
});
export type FrameSpec = z.infer<typeof FrameSpec>;

/** Stable name of a frame spec: its pack's key. */
export function frameSpecName(spec: FrameSpec): string {
  return `r${spec.rate}-s${spec.shorterSide}${spec.images === undefined ? '' : '-i'}`;
}

/**
 * DECODER_VERSION's sibling: raised whenever the same file would give other samples, or chunks that are cut elsewhere. 3: times are
 * those of the packets, wherever the format changes. 4: each part of a chained Ogg file is decoded by itself.
 */
export const AUDIO_DECODER_VERSION = 4;

/** A language by the shortest of its codes: `de` of `ger`, `deu`, `DE` and `de-AT`; null of what names none. */
export function languageCode(tag: string): string | null {
  try {
    // Newer versions of Node have no language for what names none.
    const { language = 'und' }: Partial<Intl.Locale> = new Intl.Locale(tag);
    return language === 'und' ? null : language;
  } catch {
    // Only the text itself can be wrong.
    return null;
  }
}

/** Sound that an analysis needs: interleaved float32 samples, -1..1 where the source does not exceed that. */
export const AudioSpec = z.object({
  /** Samples a second of each channel. */
  sampleRate: z.int().min(1000).max(192_000),
  /** Mono or stereo, mixed from what the source has. */
  channels: z.union([z.literal(1), z.literal(2)]),
  /** Seconds of sound around the chunk's own that come with it at both ends. */
  overlapSeconds: z.number().nonnegative().max(30),
  /**
   * Instead of the chunk's own sound: `count` intervals of `seconds`, spread evenly over the whole source, the same for each of its
   * chunks; of a source that is no longer than all of them, the whole.
   */
  excerpts: z.object({ count: z.int().min(1).max(64), seconds: z.int().min(1).max(30) }).optional(),
  /**
   * Sound track of the source: its number among those of sound, from 0, its language, or `all`; left out, the first
   * that is not silent.
   */
  track: z.string().max(35).optional(),
  /** AUDIO_DECODER_VERSION that it is asked of. */
  decoder: z.int().positive().optional(),
});
export type AudioSpec = z.infer<typeof AudioSpec>;

/** Stable name of an audio spec: its pack's key. */
export function audioSpecName({ sampleRate, channels, overlapSeconds, excerpts, track }: AudioSpec): string {
  const part = excerpts === undefined ? `o${overlapSeconds}` : `x${excerpts.count}x${excerpts.seconds}`;
  return `a${sampleRate}-c${channels}-${part}${track === undefined ? '' : `-t${track}`}`;
}

/** Input that an analysis needs: pictures or sound. */
export type InputSpecs = { kind: 'frames'; specs: FrameSpec[] } | { kind: 'audio'; specs: AudioSpec[] };
export type InputKind = InputSpecs['kind'];

/** Returns the input in the form that an analysis's identity and its rows keep. */
export function inputOf({ frames, audio }: { frames: FrameSpec[]; audio?: AudioSpec[] | null }): InputSpecs {
  return audio == null ? { kind: 'frames', specs: frames } : { kind: 'audio', specs: audio };
}

/** The names that packs of these specs have. */
export function specNames(input: InputSpecs): string[] {
  return input.kind === 'frames' ? input.specs.map(frameSpecName) : input.specs.map(audioSpecName);
}

/** A future chunk: an extent of one source, or whole images, those from `sourceStart` to before `sourceEnd`. */
export interface Span {
  sourceStart: number;
  sourceEnd: number;
  extent: Extent;
}

/** Returns the input that an extent of that kind has. */
export function inputKindOf(kind: Extent['kind']): InputKind {
  return kind === 'audio' ? 'audio' : 'frames';
}

/** One picture of a frame pack. For images `frame` is 0 and `pts` is 0. */
export const PackedFrame = z.object({
  /** Frame number counted from the start of the source. */
  frame: z.int().nonnegative(),
  /** Presentation time in ticks of the source's time base. */
  pts: z.int(),
  /** Seconds from the first frame of the source. */
  time: z.number(),
  width: z.int().positive(),
  height: z.int().positive(),
});
export type PackedFrame = z.infer<typeof PackedFrame>;
