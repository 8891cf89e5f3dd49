import { field } from '../ffmpeg/compact-line.js';
import { probeLines, type ProbeRun } from '../ffmpeg/ffprobe.js';
import { audible, statedSoundEnd, type ProbedStream } from '../ffmpeg/stream-facts.js';

const ENTRIES = 'packet=pts_time,duration_time:stream=start_time';

/**
 * Returns the seconds of an audio stream by its packets; null where they have no times. The stated duration may be an
 * estimate from the first packets (MP3 without a table, ADTS), or the length before the file was cut.
 */
export async function soundLength(path: string, stream: number, options: ProbeRun): Promise<number | null> {
  const { start, end } = await soundSpan(path, String(stream), options);
  return Number.isFinite(end - start) ? Math.max(end - start, 0) : null;
}

/**
 * Returns the end of a film's sound in seconds of its clock, by the packets where the container states none (Matroska);
 * -Infinity without sound.
 */
export async function soundEnd(path: string, streams: readonly ProbedStream[], options: ProbeRun): Promise<number> {
  const stated = statedSoundEnd(streams);
  if (stated > -Infinity || audible(streams).length === 0) return stated;
  return (await soundSpan(path, 'a', options)).end;
}

/** Returns the seconds at which the packets of the selected streams begin and end; infinite without times. */
async function soundSpan(path: string, streams: string, options: ProbeRun): Promise<{ start: number; end: number }> {
  let first = Infinity;
  let end = -Infinity;
  // Earlier samples only prime the decoder.
  let start = 0;
  await probeLines(
    path,
    ['-select_streams', streams, '-show_entries', ENTRIES, '-of', 'compact=p=0'],
    (line) => {
      const pts = seconds(field(line, 'pts_time'));
      if (Number.isNaN(pts)) start = seconds(field(line, 'start_time')) || start;
      else {
        first = Math.min(first, pts);
        end = Math.max(end, pts + (seconds(field(line, 'duration_time')) || 0));
      }
    },
    options,
  );
  return { start: Math.max(first, start), end };
}

function seconds(text: string | undefined): number {
  return text === undefined || text === '' ? NaN : Number(text);
}
