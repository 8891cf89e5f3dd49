import type { Job } from '@adit/client';
import { jobText } from '../messages/en.js';
import { useMessages } from '../messages/i18n.js';
import type { JobDetail } from '../state/job-detail.js';

/** The source that is shown, of a job that has several. */
export function SourceChoice({ job, detail }: { job: Job; detail: JobDetail }) {
  const text = useMessages(jobText);
  if (job.sources.length < 2) return null;
  return (
    <label class="source">
      <span>{text.source}</span>
      <select
        value={String(detail.source)}
        onChange={({ currentTarget }) => void detail.show(Number(currentTarget.value))}
      >
        {job.source_names.map((name, index) => (
          <option key={index} value={String(index)}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
