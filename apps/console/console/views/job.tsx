import type { Job } from '@adit/client';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useObserved } from '../../shared/observed.js';
import { jobsText, jobText, shellText } from '../messages/en.js';
import { useMessages } from '../messages/i18n.js';
import { isActive, rowOf } from '../model/job-rows.js';
import { lanesOf, neighbour, type Lane } from '../model/lanes.js';
import type { Segment } from '../model/segments.js';
import { JobDetail } from '../state/job-detail.js';
import type { Notices } from '../state/notices.js';
import type { Route } from '../state/route.js';
import type { Session } from '../state/session.js';
import { Shuttle } from '../state/shuttle.js';
import { faultMessage } from './fault-text.js';
import { JobActions } from './job-actions.js';
import { JobErrors } from './job-errors.js';
import { JobTabs } from './job-tabs.js';
import { Player } from './player.js';
import { ModuleProgress, StateMark } from './progress.js';
import { SourceChoice } from './source-choice.js';
import { Timeline } from './timeline.js';
import { useJobKeys } from './job-keys.js';

export interface JobPageProps {
  session: Session;
  route: Route;
  notices: Notices;
  jobId: string;
  /** Seconds; where to begin. */
  at: number | null;
  /** Index of the source to begin with. */
  source: number;
}

export function JobPage({ session, route, notices, jobId, at, source }: JobPageProps) {
  const text = useMessages(jobText);
  const shell = useMessages(shellText);
  const detail = useMemo(() => new JobDetail(session, jobId, source), [session, jobId]);
  const shuttle = useMemo(() => new Shuttle(), [jobId]);
  useObserved(detail);
  const ends = useRef(new AbortController());
  useEffect(() => {
    ends.current = new AbortController();
    void detail.follow(ends.current.signal);
    return () => ends.current.abort();
  }, [detail]);
  useEffect(() => {
    if (source !== detail.source) void detail.show(source);
    if (at !== null) shuttle.seek(at);
  }, [detail, at, source]);
  const { job, fault } = detail;
  const name = job === null ? '' : rowOf(job).name;
  useEffect(() => void (document.title = name === '' ? 'Adit' : `${name} · Adit`), [name]);
  const acts = {
    retry: () => detail.retry(ends.current.signal),
    stop: () => detail.stop(),
    remove: async () => {
      await detail.remove();
      route.go('#/jobs');
    },
  };
  return (
    <div class="page one-job">
      <nav class="back" aria-label={text.back}>
        <a href="#/jobs">← {text.back}</a>
      </nav>
      {fault !== null && (
        <p class="fault" role="alert">
          {isMissing(fault) && job === null ? text.notFound : faultMessage(fault)}{' '}
          {job === null && (
            <button type="button" onClick={() => void detail.follow(ends.current.signal)}>
              {shell.tryAgain}
            </button>
          )}
        </p>
      )}
      {job === null && fault === null && <p class="soft">{text.loading}</p>}
      {job !== null && <JobHeader {...{ job, session, notices, acts }} />}
      {job !== null && <JobBody {...{ job, detail, shuttle, notices }} />}
    </div>
  );
}

function isMissing(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'status' in error && error.status === 404;
}

interface JobHeaderProps {
  job: Job;
  session: Session;
  notices: Notices;
  acts: Parameters<typeof JobActions>[0]['acts'];
}

function JobHeader({ job, session, notices, acts }: JobHeaderProps) {
  const list = useMessages(jobsText);
  const row = rowOf(job);
  return (
    <header class="heading">
      <h1>{row.name}</h1>
      <StateMark state={job.state} text={list[job.state]} />
      {isActive(row) && <ModuleProgress modules={row.modules} />}
      <JobActions {...{ row, session, notices, acts }} />
      {job.errors.length > 0 && (
        <section class="why" aria-label={list.why}>
          <JobErrors
            errors={job.errors.slice(0, 3)}
            count={job.errors.length}
            sources={job.sources}
            names={job.source_names}
            modules={Object.keys(job.modules)}
          />
        </section>
      )}
    </header>
  );
}

/** Facts of the source that is shown; from what was found where the job says none. */
function extentOf(job: Job, source: number, segments: readonly Segment[]): { duration: number; fps: number | null } {
  const uri = job.sources[source];
  const info = job.result.summary.find((each) => each.source === uri)?.info;
  const fps = typeof info?.fps === 'number' && info.fps > 0 ? info.fps : null;
  const ends = segments.reduce((latest, { end }) => Math.max(latest, end), 0);
  return { duration: typeof info?.duration === 'number' && info.duration > 0 ? info.duration : ends, fps };
}

interface JobBodyProps {
  job: Job;
  detail: JobDetail;
  shuttle: Shuttle;
  notices: Notices;
}

function JobBody({ job, detail, shuttle, notices }: JobBodyProps) {
  const { segments, source } = detail;
  const uri = job.sources[source] ?? '';
  const hasTime = job.media_type !== 'image' && job.media_type !== 'pdf';
  // Of pictures all are listed, since each shows little; of films that which is shown.
  const isAll = job.source_count === 1 || !hasTime;
  const own = useMemo(
    () => (isAll ? segments : segments.filter((each) => each.source === uri)),
    [segments, uri, isAll],
  );
  const lanes = useMemo(() => lanesOf(own), [own]);
  const { duration, fps } = extentOf(job, source, own);
  useEffect(() => shuttle.setMedia(hasTime ? duration : 0, fps), [shuttle, duration, fps, hasTime]);
  const [selected, setSelected] = useState<Segment | null>(null);
  const [boxed, setBoxed] = useState(true);
  const select = (segment: Segment): void => {
    setSelected(segment);
    shuttle.pause();
    if (hasTime) shuttle.seek(middleOfFrame(segment, fps));
    else if (job.media_type === 'image' && segment.frameStart !== null && segment.frameStart !== source) {
      void detail.show(segment.frameStart);
    }
  };
  const goTo = (direction: 1 | -1): void => {
    const lane = laneOf(lanes, selected);
    // In the first frame of an appearance the previous one is another.
    const from = direction === 1 || fps === null ? shuttle.time : shuttle.time - 1 / fps;
    const next = neighbour(lane?.segments ?? own, from, direction);
    if (next !== null) select(next);
  };
  useJobKeys(shuttle, goTo);
  return (
    <div class={hasTime ? 'desk' : 'desk still'}>
      <section class="stage">
        <SourceChoice job={job} detail={detail} />
        <Player {...{ job, detail, shuttle, segments: own, boxed, setBoxed, goTo, source, selected }} />
      </section>
      <JobTabs {...{ job, detail, lanes, segments: own, shuttle, selected, select, notices }} />
      {hasTime && duration > 0 && <Timeline {...{ lanes, extent: { duration, fps }, shuttle, selected, select }} />}
    </div>
  );
}

/** The start of a segment, but in its frame rather than on the edge, which players count to the one before. */
function middleOfFrame({ start, end }: Segment, fps: number | null): number {
  return fps === null ? start : Math.min(start + 0.5 / fps, Math.max(start, end));
}

function laneOf(lanes: readonly Lane[], segment: Segment | null): Lane | undefined {
  return segment === null
    ? undefined
    : lanes.find(({ module, label }) => module === segment.module && label === segment.label);
}
