import type { Job } from '@adit/client';
import { useState } from 'preact/hooks';
import { jobText, timelineText } from '../messages/en.js';
import { language, useMessages } from '../messages/i18n.js';
import { isActive } from '../model/job-rows.js';
import type { Lane } from '../model/lanes.js';
import type { Segment } from '../model/segments.js';
import { durationText } from '../model/time.js';
import type { JobDetail } from '../state/job-detail.js';
import { useModuleNames } from './module-names.js';
import { hueOf } from './timeline-drawing.js';

/** Labels of a module that are shown at first. */
const FIRST = 12;

interface JobSummaryProps {
  job: Job;
  detail: JobDetail;
  lanes: readonly Lane[];
  select: (segment: Segment) => void;
}

/** By module: who and what appears, how often and how long. */
export function JobSummary({ job, detail, lanes, select }: JobSummaryProps) {
  const text = useMessages(jobText);
  const nameOf = useModuleNames();
  const modules = [...new Set(lanes.map(({ module }) => module))];
  const uri = job.sources[detail.source];
  const sums = detail.sums.filter(({ source }) => job.media_type === 'image' || source === uri);
  if (lanes.length === 0 && sums.length === 0) {
    return <p class="soft">{isActive(job) ? text.nothingYet : text.nothingFound}</p>;
  }
  return (
    <>
      {modules.map((module) => (
        <section key={module} class="found">
          <h2>{nameOf(module)}</h2>
          <Labels lanes={lanes.filter((lane) => lane.module === module)} select={select} />
        </section>
      ))}
      {sums.length > 0 && (
        <section class="found">
          <h2>{text.sums}</h2>
          {sums.map(({ id, type, meta }) => (
            <dl key={id} class="sums">
              <dt>{type.replaceAll('_', ' ')}</dt>
              {Object.entries(meta).map(([name, value]) => (
                <dd key={name}>
                  {name} <b>{type.endsWith('time') ? durationText(value) : value.toLocaleString(language.get())}</b>
                </dd>
              ))}
            </dl>
          ))}
        </section>
      )}
    </>
  );
}

function Labels({ lanes, select }: { lanes: readonly Lane[]; select: (segment: Segment) => void }) {
  const text = useMessages(jobText);
  const words = useMessages(timelineText);
  const [all, setAll] = useState(false);
  const shown = all ? lanes : lanes.slice(0, FIRST);
  const more = lanes.length - FIRST;
  return (
    <ul class="labels">
      {shown.map(({ label, module, segments, total }) => {
        const name = label !== '' ? label : module === 'speech_recognition' ? words.speech : words.captions;
        const [first] = segments;
        return (
          <li key={label}>
            <button
              type="button"
              class="label"
              aria-label={text.goTo({ name })}
              onClick={() => first !== undefined && select(first)}
            >
              <i aria-hidden="true" style={{ '--hue': hueOf(label === '' ? module : label) }} />
              {name}
            </button>
            <small>
              {text.appearances(segments.length)}
              {total > 0 && ` · ${durationText(total)}`}
            </small>
          </li>
        );
      })}
      {more > 0 && (
        <li>
          <button type="button" class="plain" onClick={() => setAll(!all)}>
            {all ? text.showFewer : text.showMore(more)}
          </button>
        </li>
      )}
    </ul>
  );
}
