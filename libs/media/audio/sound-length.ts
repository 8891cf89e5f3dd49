import { field } from '../ffmpeg/compact-line.js';
import { probeLines, type ProbeRun } from '../ffmpeg/ffprobe.js';

const ENTRIES = 'packet=pts_time,duration_time:stream=start_time';

/**
 * Returns the seconds of an audio stream by its packets; null where they have no times. The stated duration may be an
 * estimate from the first packets (MP3 without a table, ADTS), or the length before the file was cut.
 */
export async function soundLength(path: string, stream: number, options: ProbeRun): Promise<number | null> {
  let first = Infinity;
  let end = -Infinity;
  // Earlier samples only prime the decoder.
  let start = 0;
  await probeLines(
    path,
    ['-select_streams', String(stream), '-show_entries', ENTRIES, '-of', 'compact=p=0'],
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
  const length = end - Math.max(first, start);
  return Number.isFinite(length) ? Math.max(length, 0) : null;
}

function seconds(text: string | undefined): number {
  return text === undefined || text === '' ? NaN : Number(text);
}
