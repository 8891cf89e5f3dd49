import { AditError } from '@adit/contracts';
import { countOf, type ProbedStream } from '../../ffmpeg/stream-facts.js';
import type { LiveRun } from '../live-run.js';
import type { ArchivedSegment } from './run-archive.js';
import { BoxReader, children, content, fragmentTimes, isLong, trackIdAt, trackIn } from './boxes.js';
import { AHEAD_SECONDS, soundOptions, startCopy, type Copier } from './copier.js';

/** A part of sound as fragmented MP4. */
export interface SoundFragment {
  /** The movie header, without which no fragment of the run can be played. */
  moov: Buffer;
  /** `moof` and `mdat`. */
  bytes: Buffer;
  /** Seconds on the run's own clock. */
  start: number;
  seconds: number;
}

/** Copies the sound of a run that comes apart from its pictures. */
export interface SoundArchive extends Omit<Copier, 'boxes'> {
  /** Throws MEDIA_INVALID with a reason for clients. To be read once. */
  fragments: AsyncGenerator<SoundFragment>;
}

/** Microseconds of a fragment: a segment of pictures gets those that begin in it. */
const FRAGMENT_US = 500_000;
/** Number of the track of sound beside that of pictures, which is 1. */
const SOUND_TRACK = 2;

export async function archiveSound(stream: ProbedStream, container: LiveRun['container']): Promise<SoundArchive> {
  const sound = { codec: stream.codec_name ?? '', channels: countOf(stream.channels) };
  const { boxes, ...copier } = await startCopy({
    container,
    streams: ['-map', `0:${stream.index}`, ...soundOptions(sound)],
    fragments: { flags: '', options: ['-frag_duration', String(FRAGMENT_US)] },
  });
  return { ...copier, fragments: fragmentsOf(boxes) };
}

async function* fragmentsOf(boxes: Copier['boxes']): AsyncGenerator<SoundFragment> {
  let moov: Buffer | null = null;
  let moof: Buffer | null = null;
  for await (const { type, bytes } of boxes) {
    if (type === 'moov') moov = bytes;
    if (type === 'moof') moof = bytes;
    if (type !== 'mdat' || moov === null || moof === null) continue;
    const track = trackIn(moov, 'soun');
    const times = fragmentTimes(moof, track);
    if (times === null) continue;
    const { start, length } = times;
    const [from, seconds] = [start / track.timescale - AHEAD_SECONDS, length / track.timescale];
    yield { moov, bytes: Buffer.concat([moof, bytes]), start: from, seconds };
  }
}

/**
 * Puts fragments of sound into a segment of pictures, as its second track.
 *
 * @param moov - movie header of all the sound of the run, which has a track for it however much there is in this segment
 * @param fragments - with the seconds that are added to their times, to be those of the copy of the pictures
 */
export function withSoundTrack(
  { init, bytes, ...place }: ArchivedSegment,
  moov: Buffer,
  fragments: readonly { fragment: SoundFragment; shift: number }[],
): ArchivedSegment {
  const moved = fragments.map(({ fragment, shift }) => movedFragment(fragment, shift));
  return { ...place, init: joinedHeader(init, moov), bytes: Buffer.concat([bytes, ...moved]) };
}

function movedFragment({ moov, bytes }: SoundFragment, shift: number): Buffer {
  const own = Buffer.from(bytes);
  const ticks = Math.round(shift * trackIn(moov, 'soun').timescale);
  for (const traf of children(content(own), 'traf')) {
    const [tfhd] = children(traf, 'tfhd');
    const [tfdt] = children(traf, 'tfdt');
    if (tfhd === undefined || tfdt === undefined || !isLong(tfdt)) {
      throw new AditError('MEDIA_INVALID', 'The copy of the sound has fragments without times.');
    }
    tfhd.writeUInt32BE(SOUND_TRACK, 4);
    tfdt.writeBigUInt64BE(tfdt.readBigUInt64BE(4) + BigInt(ticks), 4);
  }
  return own;
}

/** Joins `ftyp` and `moov` of pictures and the `moov` of sound. */
function joinedHeader(init: Buffer, moov: Buffer): Buffer {
  const sound = boxesIn(content(Buffer.from(moov)));
  const traks = sound.filter(({ type }) => type === 'trak').map(({ bytes }) => bytes);
  for (const trak of traks) {
    for (const tkhd of children(content(trak), 'tkhd')) tkhd.writeUInt32BE(SOUND_TRACK, trackIdAt(tkhd));
  }
  const extensions = sound.filter(({ type }) => type === 'mvex').map(({ bytes }) => content(bytes));
  for (const mvex of extensions) for (const trex of children(mvex, 'trex')) trex.writeUInt32BE(SOUND_TRACK, 4);
  return Buffer.concat(
    boxesIn(Buffer.from(init)).map(({ type, bytes }) => {
      if (type !== 'moov') return bytes;
      const own = boxesIn(content(bytes)).map((each) => {
        // The number that a further track would have.
        if (each.type === 'mvhd') each.bytes.writeUInt32BE(SOUND_TRACK + 1, each.bytes.length - 4);
        return each.type === 'mvex' ? [...traks, boxOf('mvex', [content(each.bytes), ...extensions])] : [each.bytes];
      });
      return boxOf('moov', own.flat());
    }),
  );
}

function boxesIn(bytes: Buffer): { type: string; bytes: Buffer }[] {
  return [...new BoxReader(Infinity).add(bytes)];
}

function boxOf(type: string, contents: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(contents.reduce((sum, { length }) => sum + length, head.length));
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, ...contents]);
}
