import type { Job } from '@adit/client';
import type { ComponentChild } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { jobText } from '../messages/en.js';
import { useMessages } from '../messages/i18n.js';
import type { Lane } from '../model/lanes.js';
import type { Segment } from '../model/segments.js';
import type { JobDetail } from '../state/job-detail.js';
import type { Notices } from '../state/notices.js';
import type { Shuttle } from '../state/shuttle.js';
import { JobErrors } from './job-errors.js';
import { JobFacts } from './job-facts.js';
import { JobFiles } from './job-files.js';
import { JobSummary } from './job-summary.js';
import { SegmentList } from './segment-list.js';

interface JobTabsProps {
  job: Job;
  detail: JobDetail;
  lanes: readonly Lane[];
  segments: readonly Segment[];
  shuttle: Shuttle;
  selected: Segment | null;
  select: (segment: Segment) => void;
  notices: Notices;
}

const TABS = ['summary', 'segments', 'files', 'facts', 'errors'] as const;
type Tab = (typeof TABS)[number];

/** What was found, in words. */
export function JobTabs({ job, detail, lanes, segments, shuttle, selected, select, notices }: JobTabsProps) {
  const text = useMessages(jobText);
  const id = useId();
  const [shown, setShown] = useState<Tab>('summary');
  const list = useRef<HTMLDivElement>(null);
  const tabs = TABS.filter((tab) => tab !== 'errors' || job.errors.length > 0);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(shown) + step + tabs.length) % tabs.length] ?? 'summary';
    setShown(next);
    list.current?.querySelector<HTMLElement>(`[data-tab=${next}]`)?.focus();
  };
  const panels: Record<Tab, () => ComponentChild> = {
    summary: () => <JobSummary {...{ job, detail, lanes, select }} />,
    segments: () => <SegmentList {...{ segments, detail, shuttle, selected, select }} />,
    files: () => <JobFiles {...{ job, detail, notices }} />,
    facts: () => <JobFacts {...{ job, source: detail.source }} />,
    errors: () => (
      <JobErrors
        errors={job.errors}
        count={job.errors.length}
        sources={job.sources}
        names={job.source_names}
        modules={Object.keys(job.modules)}
      />
    ),
  };
  return (
    <section class="tabs">
      <div role="tablist" ref={list} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            key={tab}
            type="button"
            role="tab"
            id={`${id}-${tab}`}
            data-tab={tab}
            aria-selected={tab === shown}
            aria-controls={`${id}-panel`}
            tabIndex={tab === shown ? 0 : -1}
            onClick={() => setShown(tab)}
          >
            {text[tab]}
            {tab === 'segments' && segments.length > 0 && <span class="number">{segments.length}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} class={`panel ${shown}`} aria-labelledby={`${id}-${shown}`} tabIndex={0}>
        {detail.total > detail.segments.length && (
          <p class="soft">{text.loadingSegments({ loaded: detail.segments.length, total: detail.total })}</p>
        )}
        {panels[shown]()}
      </div>
    </section>
  );
}
