import type { Rational } from '@adit/contracts';

/** Fields of ffprobe's stream object that are read here. */
export interface ProbedStream {
  index: number;
  codec_type?: string;
  codec_name?: string;
  codec_tag_string?: string;
  width?: number;
  height?: number;
  pix_fmt?: string;
  bits_per_raw_sample?: string;
  sample_aspect_ratio?: string;
  field_order?: string;
  r_frame_rate?: string;
  avg_frame_rate?: string;
  time_base?: string;
  nb_frames?: string;
  start_time?: string;
  duration?: string;
  channels?: number;
  sample_rate?: string;
  color_space?: string;
  color_transfer?: string;
  color_primaries?: string;
  disposition?: Record<string, number>;
  tags?: Record<string, string>;
  side_data_list?: { rotation?: number | string }[];
}

/** A programme of a transport stream. */
export interface ProbedProgramme {
  streams?: { index: number }[];
}

export interface ProbedFormat {
  format_name?: string;
  duration?: string;
  tags?: Record<string, string>;
}

/**
 * ffprobe's arguments for exactly the fields above: an unrequested tag may be gigabytes. A new field has to be added
 * here too.
 */
export const ENTRIES: string[] = [
  '-show_entries',
  [
    'stream=index,codec_type,codec_name,codec_tag_string,width,height,pix_fmt,bits_per_raw_sample,sample_aspect_ratio,field_order,' +
      'r_frame_rate,avg_frame_rate,time_base,nb_frames,start_time,duration,channels,sample_rate,color_space,color_transfer,' +
      'color_primaries',
    'stream_disposition=default,attached_pic,timed_thumbnails,still_image',
    'stream_tags=timecode,rotate,language,enc_key_id',
    'stream_side_data=rotation',
    'program_stream=index',
    'format=format_name,duration',
    'format_tags=timecode',
  ].join(':'),
];

/** Codecs that usually carry cover art when there is a single frame of them. */
const STILL_CODECS = new Set(['mjpeg', 'png', 'bmp', 'gif', 'tiff', 'webp']);

/**
 * Chooses the film among a file's streams: never cover art, thumbnails or a stream without a decoder; the default
 * stream, else the largest, else the first.
 */
export function chooseVideoStream(streams: ProbedStream[]): ProbedStream | undefined {
  const films = streams.filter((stream) => {
    if (stream.codec_type !== 'video' || !stream.codec_name || stream.codec_name === 'unknown') return false;
    const mark = stream.disposition ?? {};
    if (mark.attached_pic || mark.timed_thumbnails || mark.still_image) return false;
    return !(STILL_CODECS.has(stream.codec_name) && stream.nb_frames === '1' && streams.length > 1);
  });
  const marked = films.filter((stream) => stream.disposition?.default);
  const area = (stream: ProbedStream) => (stream.width ?? 0) * (stream.height ?? 0);
  return (marked.length > 0 ? marked : films).sort((a, b) => area(b) - area(a) || a.index - b.index)[0];
}

/**
 * Returns the streams without those of other programmes than the film's. A recording of several stations has the sound of
 * each, and that of another one does not belong to the pictures.
 */
export function ofProgramme(
  streams: ProbedStream[],
  programmes: readonly ProbedProgramme[],
  film: ProbedStream | undefined,
): ProbedStream[] {
  const indices = programmes.map((programme) => new Set((programme.streams ?? []).map(({ index }) => index)));
  const own = film === undefined ? undefined : indices.find((each) => each.has(film.index));
  if (own === undefined) return streams;
  return streams.filter(({ index }) => own.has(index) || !indices.some((each) => each.has(index)));
}

/** Tests for a Matroska stream that needs a key to play. */
export function isEncrypted({ tags }: ProbedStream): boolean {
  return tags?.enc_key_id !== undefined;
}

/** Returns the audio streams that can be decoded. */
export function audible(streams: readonly ProbedStream[]): ProbedStream[] {
  return streams.filter((stream) => {
    const { codec_type: type, codec_name: codec, channels, sample_rate: rate } = stream;
    const isKnown = type === 'audio' && codec && codec !== 'unknown' && !isEncrypted(stream);
    return isKnown && countOf(channels) > 0 && countOf(rate) > 0;
  });
}

/** Returns the end of a file's sound in seconds of its clock as the container states it; -Infinity where it does not. */
export function statedSoundEnd(streams: readonly ProbedStream[]): number {
  const ends = audible(streams).map((stream) => Number(stream.start_time ?? NaN) + Number(stream.duration ?? NaN));
  return Math.max(...ends.filter((end) => Number.isFinite(end)), -Infinity);
}

/** Largest term of ffmpeg's fractions. */
const MAX_TERM = 2 ** 31 - 1;

/** Parses `num/den` or `num:den`; null for zero, negative or missing values. */
export function parseRational(text: string | undefined): Rational | null {
  const match = /^(\d+)[/:](\d+)$/.exec(text ?? '');
  if (!match) return null;
  const num = Number(match[1]);
  const den = Number(match[2]);
  return num > 0 && den > 0 && Math.max(num, den) <= MAX_TERM ? { num, den } : null;
}

/** Reduces a fraction to its lowest terms; 1/1 for an invalid one. */
export function reduced(num: number, den: number): Rational {
  if (!(num > 0) || !(den > 0)) return { num: 1, den: 1 };
  if (!Number.isSafeInteger(num) || !Number.isSafeInteger(den)) {
    return { num: Math.min(Math.max(Math.round((num / den) * 1e6), 1), Number.MAX_SAFE_INTEGER), den: 1_000_000 };
  }
  let [a, b] = [num, den];
  while (b) [a, b] = [b, a % b];
  return { num: num / a, den: den / a };
}

/** Parses a count of ffprobe; 0 for an invalid one. */
export function countOf(stated: number | string | undefined): number {
  const count = Number(stated ?? 0);
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}

/** Size and depth of pictures as they are decoded; a size of 0 where the stream states none. */
export function storedPictures(stream: ProbedStream): { width: number; height: number; bitDepth: number } {
  return { width: countOf(stream.width), height: countOf(stream.height), bitDepth: bitDepthOf(stream) };
}

/** Returns a stored pixel's width over its height; 1:1 when absent or implausible. */
export function pixelAspect(stream: ProbedStream): Rational {
  const ratio = parseRational(stream.sample_aspect_ratio);
  if (!ratio || ratio.num > ratio.den * 10 || ratio.den > ratio.num * 10) return { num: 1, den: 1 };
  return ratio;
}

/** Returns the clockwise degrees by which the stored picture is rotated for display: 0, 90, 180 or 270. */
export function rotationOf(stream: ProbedStream): number {
  const side = stream.side_data_list?.find((data) => data.rotation !== undefined)?.rotation;
  const turned = side !== undefined ? -Number(side) : Number(stream.tags?.rotate ?? 0);
  if (!Number.isSafeInteger(Math.round(turned))) return 0;
  return (((Math.round(turned / 90) * 90) % 360) + 360) % 360;
}

/**
 * Returns the displayed size in square pixels: the width is corrected by the pixel aspect, then the picture rotated.
 */
export function displayedSize(stream: ProbedStream): { width: number; height: number } {
  const { num, den } = pixelAspect(stream);
  const width = Math.max(Math.round(((stream.width ?? 0) * num) / den), 1);
  const height = stream.height ?? 0;
  return rotationOf(stream) % 180 === 0 ? { width, height } : { width: height, height: width };
}

/** Returns the bits per colour component. */
export function bitDepthOf(stream: ProbedStream): number {
  const named = /(?:p|gray|gbrp|gbrap|p0|ya)(9|10|12|14|16)(?:le|be)?$/.exec(stream.pix_fmt ?? '')?.[1];
  if (named) return Number(named);
  if (/48(le|be)|64(le|be)/.test(stream.pix_fmt ?? '')) return 16;
  return 8;
}

/** Tests for a transfer curve of high dynamic range: PQ (SMPTE ST 2084) or HLG (ARIB STD-B67). */
export function isHdr(stream: ProbedStream): boolean {
  return stream.color_transfer === 'smpte2084' || stream.color_transfer === 'arib-std-b67';
}

/**
 * Returns the SMPTE timecode of the first frame, from the stream, the container or a timecode track; null when none is
 * stated.
 */
export function startTimecode(video: ProbedStream, streams: ProbedStream[], format: ProbedFormat): string | null {
  const stated = [video.tags, format.tags, ...streams.map((stream) => stream.tags)];
  for (const tags of stated) {
    const match = /^(\d\d:\d\d:\d\d)([:;.])(\d{2,3})$/.exec(tags?.timecode ?? '');
    if (match) return `${match[1]}${match[2] === ':' ? ':' : ';'}${match[3]}`;
  }
  return null;
}

/**
 * Returns the rate of a QuickTime timecode track that differs from the film's (25 in 50p: every second frame); null
 * when there is none, or an unrelated one.
 */
export function timecodeRate(streams: ProbedStream[], fps: Rational): Rational | null {
  const track = streams.find((stream) => stream.codec_tag_string === 'tmcd');
  const rate = parseRational(track?.avg_frame_rate);
  if (rate === null) return null;
  const ratio = (fps.num * rate.den) / (fps.den * rate.num);
  const whole = Math.round(Math.max(ratio, 1 / ratio));
  const isMultiple = Math.abs(Math.max(ratio, 1 / ratio) / whole - 1) < 0.002;
  return isMultiple && whole > 1 && whole <= MAX_FRAMES_PER_NUMBER ? reduced(rate.num, rate.den) : null;
}

const MAX_FRAMES_PER_NUMBER = 8;
