import { field, number } from './compact-line.js';
import { probeLines, type ProbeRun } from './ffprobe.js';

/** Pictures that decoding the first packets shows. */
export interface HeadFrames {
  /** Presentation times in ticks, ascending; pictures without a time are left out. */
  pts: number[];
  /** Number of decoded pictures, with a time or without. */
  count: number;
  interlaced: boolean;
}

const HEAD_PACKETS = 90;
/** An edit list hides the pictures between a keyframe and the cut, which may cover all of the head. */
const HEAD_PACKETS_BEHIND_A_CUT = 15_000;

/** Decodes the first pictures of a stream; empty where nothing at its beginning can be decoded. */
export async function readHead(path: string, stream: number, options: ProbeRun): Promise<HeadFrames> {
  const head = await decodeFirst(HEAD_PACKETS, path, stream, options);
  return head.count > 0 ? head : await decodeFirst(HEAD_PACKETS_BEHIND_A_CUT, path, stream, options);
}

async function decodeFirst(packets: number, path: string, stream: number, options: ProbeRun): Promise<HeadFrames> {
  const list = new HeadList();
  await probeLines(
    path,
    [
      '-select_streams',
      String(stream),
      '-read_intervals',
      `%+#${packets}`,
      '-show_entries',
      'frame=best_effort_timestamp,interlaced_frame',
      '-of',
      'compact=p=0',
    ],
    (line) => list.add(line),
    options,
  );
  return list.frames();
}

/** Collects the first pictures, line by line of ffprobe's compact writer. */
export class HeadList {
  private readonly pts: number[] = [];
  private count = 0;
  private interlaced = 0;

  add(line: string): void {
    if (!line.includes('interlaced_frame=')) return;
    this.count++;
    const value = number(field(line, 'best_effort_timestamp'));
    if (!Number.isNaN(value)) this.pts.push(value);
    if (line.includes('interlaced_frame=1')) this.interlaced++;
  }

  frames(): HeadFrames {
    const { pts, count, interlaced } = this;
    return { pts: pts.sort((a, b) => a - b), count, interlaced: interlaced * 2 > count };
  }
}
