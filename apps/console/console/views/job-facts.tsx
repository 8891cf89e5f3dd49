import type { Job } from '@adit/client';
import { jobsText, jobText } from '../messages/en.js';
import { language, useMessages } from '../messages/i18n.js';
import { clock, dateText, durationText } from '../model/time.js';

export function JobFacts({ job, source }: { job: Job; source: number }) {
  const text = useMessages(jobText);
  const list = useMessages(jobsText);
  const when = (time: string | null): string => (time === null ? '' : dateText(Date.parse(time), language.get()));
  const info = job.result.summary.find((each) => each.source === job.sources[source])?.info;
  const facts: [string, string][] = [
    [text.source, job.source_names[source] ?? ''],
    [text.tag, job.tag],
    [text.media, list[job.media_type]],
    [text.length, info?.duration === undefined ? '' : clock(info.duration)],
    [text.size, info?.resolution === undefined ? '' : info.resolution.join(' × ')],
    [text.rate, info?.fps === undefined ? '' : `${info.fps.toLocaleString(language.get())} fps`],
    [text.created, when(job.time_created)],
    [text.started, when(job.time_started)],
    [text.ended, when(job.time_completed)],
    [text.took, job.time_started === null ? '' : durationText(job.duration)],
    [text.priority, String(job.priority)],
    ['Id', job.id],
  ];
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
