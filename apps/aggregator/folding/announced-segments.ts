import { createHash } from 'node:crypto';
import type { AnnouncedSegment, JobModuleEntity } from '@adit/database';
import type { EndedSegment, StartedSegment } from '@adit/jobs';
import type { Segment } from '@adit/module-kit';
import type { Folded } from './folding.js';
import type { WaitingFold } from './waiting-folds.js';

/** Open segments of a fold that are announced; beyond them a segment is announced when it is final. */
const MAX_OPEN = 1_000;

/** What a step of a live fold tells the job's webhook. */
export interface Announcements {
  /** Segments that are announced and open now, for the fold's row. */
  open: AnnouncedSegment[];
  started: StartedSegment[];
  ended: EndedSegment[];
}

/**
 * Returns what starts and ends with a step of a live fold, null where nobody asks. Every segment starts once before it
 * ends: one that comes and goes within the step does both. One that was announced and came to nothing ends too.
 */
export function announcementsOf(fold: WaitingFold, folded: Folded, module: JobModuleEntity): Announcements | null {
  if (fold.announced === null) return null;
  const subject = `${module.jobId}/${module.moduleId}/${fold.sourceIndex}`;
  const before = new Map(fold.announced.map((each) => [each.id, each]));
  const started: StartedSegment[] = [];
  const ended: EndedSegment[] = [];
  for (const [at, segment] of folded.segments.entries()) {
    const seq = module.segmentCount + at;
    const id = idOf(subject, segment.key ?? `number ${seq}`);
    if (!before.delete(id)) started.push(startedSegment(id, segment));
    ended.push({ id, seq });
  }
  const open: AnnouncedSegment[] = [];
  for (const segment of folded.open.slice(0, MAX_OPEN)) {
    const id = idOf(subject, segment.key);
    if (!before.delete(id)) started.push(startedSegment(id, segment));
    open.push({ id, frame: segment.frameStart, time: segment.timeStart });
  }
  ended.push(...endedWithout([...before.values()], fold));
  return { open, started, ended };
}

/** Returns the ends of announced segments that come to nothing, as those of a module that failed. */
export function endedWithout(
  announced: readonly AnnouncedSegment[] | null,
  { sourceIndex }: Pick<WaitingFold, 'sourceIndex'>,
): EndedSegment[] {
  return (announced ?? []).map(({ id, frame, time }) => ({ id, seq: null, sourceIndex, frame, time }));
}

/** A UUID that is the same whenever the segment is folded. */
function idOf(subject: string, key: string): string {
  const hex = createHash('sha256').update(`${subject}/${key}`).digest('hex');
  // Version 8 of RFC 9562: made of a hash in a way of our own.
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

function startedSegment(id: string, segment: Segment): StartedSegment {
  const { sourceIndex, frameStart, frameEnd, timeStart, timeEnd, type, label, confidence, meta, thumbnail } = segment;
  return {
    ...{ id, sourceIndex, frameStart, frameEnd, timeStart, timeEnd, type, label, confidence },
    meta,
    thumbnail,
  };
}
