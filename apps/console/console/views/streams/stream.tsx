import { AditApiError, type Job, type LiveStream } from '@adit/client';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { language, useMessages } from '../../messages/i18n.js';
import { streamsText } from '../../messages/streams.en.js';
import { conditionOf } from '../../model/streams.js';
import { dateText, durationText } from '../../model/time.js';
import type { Notices } from '../../state/notices.js';
import { jobAddress, streamAddress } from '../../state/route.js';
import type { Session } from '../../state/session.js';
import { StreamDetail } from '../../state/stream-detail.js';
import { ActButton, attempt } from '../act-button.js';
import { AskDialog } from '../forms/ask-dialog.js';
import { faultMessage } from '../fault-text.js';
import { JobErrors } from '../job-errors.js';
import { StreamCondition } from './condition.js';
import { NewestResults, StreamGaps } from './stream-lists.js';
import { StreamPictures } from './stream-pictures.js';
import { Rate } from './streams.js';

export interface StreamPageProps {
  session: Session;
  notices: Notices;
  jobId: string;
}

/** One live stream, as it runs. */
export function StreamPage({ session, notices, jobId }: StreamPageProps) {
  const text = useMessages(streamsText);
  const detail = useMemo(() => new StreamDetail(session, jobId), [session, jobId]);
  useObserved(detail);
  useEffect(() => {
    const ends = new AbortController();
    detail.follow(ends.signal);
    return () => ends.abort();
  }, [detail]);
  const { stream, job, fault, live } = detail;
  const name = stream === null ? text.title : stream.tag || stream.source_name;
  useEffect(() => void (document.title = `${name} · Adit`), [name]);
  return (
    <div class="page one-stream">
      <nav class="back" aria-label={text.back}>
        <a href="#/streams">← {text.back}</a>
      </nav>
      {stream === null && <h1>{text.title}</h1>}
      {fault !== null && (
        <p class="fault" role="alert">
          {fault instanceof AditApiError && fault.status === 404 ? text.notFound : faultMessage(fault)}
        </p>
      )}
      {stream === null && fault === null && <p class="soft">{text.loading}</p>}
      {stream !== null && (
        <>
          <header class="heading">
            <h1>{name}</h1>
            <StreamCondition stream={stream} />
            {stream.reading !== 'ended' && (
              <span class={`live ${live}`} role="status">
                {live === 'live' ? text.live : live === 'offline' ? text.offline : text.connectingPage}
              </span>
            )}
            <div class="actions">
              <a class="button" href={jobAddress(jobId)}>
                {text.openJob}
              </a>
              {stream.reading !== 'ended' && stream.next_part === null && (
                <StopStream {...{ session, notices, detail, name }} />
              )}
            </div>
          </header>
          <Advice stream={stream} />
          <div class="parts">
            <StreamPictures {...{ detail, stream }} />
            <StreamFacts {...{ stream }} />
            <NewestResults results={detail.results} />
            <StreamGaps gaps={detail.gaps} total={stream.gap_count} />
          </div>
          {job !== null && <Problems job={job} />}
        </>
      )}
    </div>
  );
}

function Advice({ stream }: { stream: LiveStream }) {
  const text = useMessages(streamsText);
  const advice = { late: text.adviceLate, behind: text.adviceBehind, waiting: text.adviceWaiting };
  const condition = conditionOf(stream);
  if (condition !== 'late' && condition !== 'behind' && condition !== 'waiting') return null;
  return <p class="advice">{advice[condition]}</p>;
}

interface StopStreamProps {
  session: Session;
  notices: Notices;
  detail: StreamDetail;
  name: string;
}

function StopStream({ session, notices, detail, name }: StopStreamProps) {
  const text = useMessages(streamsText);
  const [asks, setAsks] = useState(false);
  const stop = (): void => {
    setAsks(false);
    void attempt({ session, notices }, async () => {
      await detail.stop();
      notices.say(text.stopped({ name }));
    });
  };
  return (
    <>
      <ActButton {...{ session, notices, label: text.stop, kind: 'danger', act: () => setAsks(true) }} />
      {asks && (
        <AskDialog
          title={text.stopTitle({ name })}
          submit={text.stopSubmit}
          kind="danger"
          onClose={() => setAsks(false)}
          onSubmit={stop}
        >
          <p>{text.stopText}</p>
        </AskDialog>
      )}
    </>
  );
}

function StreamFacts({ stream }: { stream: LiveStream }) {
  const text = useMessages(streamsText);
  const { time_zero: zero, previous_part: previous, next_part: next } = stream;
  return (
    <section class="part facts-of-stream">
      <dl class="facts">
        <Fact name={text.address}>{stream.source}</Fact>
        {zero !== null && <Fact name={text.since}>{dateText(Date.parse(zero), language.get())}</Fact>}
        <Fact name={text.position}>{durationText(stream.position)}</Fact>
        {stream.lag !== null && <Fact name={text.lag}>{durationText(stream.lag)}</Fact>}
        <Fact name={text.rate}>
          <Rate rate={stream.frame_rate} />
        </Fact>
        <Fact name={text.results}>{stream.segment_count}</Fact>
      </dl>
      {previous !== null && <a href={streamAddress(previous)}>{text.previous}</a>}
      {next !== null && <a href={streamAddress(next)}>{text.next}</a>}
    </section>
  );
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Problems({ job }: { job: Job }) {
  const text = useMessages(streamsText);
  if (job.errors.length === 0) return null;
  return (
    <section class="part" aria-label={text.problems}>
      <h2>{text.problems}</h2>
      <JobErrors
        errors={job.errors}
        count={job.errors.length}
        sources={job.sources}
        names={job.source_names}
        modules={Object.keys(job.modules)}
      />
    </section>
  );
}
