import { endianness } from 'node:os';
import { AditError, AUDIO_DECODER_VERSION } from '@adit/contracts';
import { z } from 'zod';
import type { ReadRange } from '../video/frame-pack.js';

/** Sample range of a pack, in samples per channel from the start of the source; ends are exclusive. */
export interface AudioPlace {
  /** Samples per second of each channel. */
  sampleRate: number;
  channels: number;
  start: number;
  end: number;
  /** The chunk's own samples; samples outside this range are overlap. */
  ownStart: number;
  ownEnd: number;
  /** True for sound that was cut in pauses as it came: its own part is heard as one, wherever the grid would cut. */
  window?: true;
}

/** The sound of one spec for one unit. */
export interface AudioPack extends AudioPlace {
  /** AUDIO_DECODER_VERSION of the process that made it. */
  readonly decoder: number;
  /**
   * Returns samples `from` to `to` (exclusive) of all channels, interleaved. Throws a RangeError for samples outside
   * the pack.
   */
  samples(from: number, to: number): Promise<Float32Array>;
}

// Container: "ADAP", u16 version, u16 reserved, u32 header bytes, u32 samples in each channel, header JSON,
// then interleaved float32 LE samples.
const MAGIC = 0x41444150;
const VERSION = 1;
const PREFIX_BYTES = 16;
/** Every header fits into this many bytes. */
const FIRST_READ = 1024;
const SAMPLE_BYTES = 4;

/** Writes a pack. `samples` holds all of `place` as float32, little-endian, interleaved. */
export function packAudio(place: AudioPlace, samples: Buffer, decoder: number = AUDIO_DECODER_VERSION): Buffer {
  const count = place.end - place.start;
  if (samples.length !== count * place.channels * SAMPLE_BYTES) {
    throw new RangeError(`${samples.length} bytes for ${count} samples of ${place.channels} channels.`);
  }
  const header = Buffer.from(JSON.stringify({ ...place, decoder }));
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(MAGIC, 0);
  prefix.writeUInt16BE(VERSION, 4);
  prefix.writeUInt32BE(header.length, 8);
  prefix.writeUInt32BE(count, 12);
  return Buffer.concat([prefix, header, samples]);
}

/** Opens a pack by its header; samples are read on request. Throws MEDIA_INVALID when the bytes are no audio pack. */
export async function openAudioPack(read: ReadRange): Promise<AudioPack> {
  const head = await read(0, FIRST_READ - 1);
  if (head.length < PREFIX_BYTES || head.readUInt32BE(0) !== MAGIC) throw broken('it has no audio pack header');
  if (head.readUInt16BE(4) !== VERSION) throw broken(`version ${head.readUInt16BE(4)} is not known`);
  const samplesAt = PREFIX_BYTES + head.readUInt32BE(8);
  if (samplesAt > head.length) throw broken('it is cut short');
  const { decoder, ...place } = parseHeader(head.subarray(PREFIX_BYTES, samplesAt));
  const bytes = place.channels * SAMPLE_BYTES;
  return {
    ...place,
    decoder,
    samples: async (from, to) => {
      if (!(from >= place.start && from <= to && to <= place.end)) {
        throw new RangeError(`Samples ${from} to ${to} of a pack of ${place.start} to ${place.end}.`);
      }
      if (from === to) return new Float32Array(0);
      const at = samplesAt + (from - place.start) * bytes;
      const piece = await read(at, at + (to - from) * bytes - 1);
      if (piece.length !== (to - from) * bytes) throw broken('it is cut short');
      const samples = new Float32Array((to - from) * place.channels);
      const copy = Buffer.from(samples.buffer);
      copy.set(piece);
      if (endianness() === 'BE') copy.swap32();
      return samples;
    },
  };
}

/** Opens a pack that is already in memory. */
export function openAudioPackBuffer(pack: Buffer): Promise<AudioPack> {
  return openAudioPack((start, end) => Promise.resolve(pack.subarray(start, end + 1)));
}

const Count = z.int().nonnegative();
const Header = z.object({
  sampleRate: Count,
  channels: Count,
  start: Count,
  end: Count,
  ownStart: Count,
  ownEnd: Count,
  decoder: Count,
  window: z.literal(true).optional(),
});

function parseHeader(json: Buffer): AudioPlace & { decoder: number } {
  try {
    return Header.parse(JSON.parse(json.toString('utf8')));
  } catch (error) {
    throw new AditError('MEDIA_INVALID', 'Not an audio pack: its header does not parse.', { cause: error });
  }
}

function broken(reason: string): AditError {
  return new AditError('MEDIA_INVALID', `Not an audio pack: ${reason}.`);
}
