import type { Artifact, Job } from '@adit/client';
import { useState } from 'preact/hooks';
import { jobsText, jobText } from '../messages/en.js';
import { language, useMessages } from '../messages/i18n.js';
import { isActive } from '../model/job-rows.js';
import { dateText } from '../model/time.js';
import type { JobDetail } from '../state/job-detail.js';
import type { Notices } from '../state/notices.js';
import { faultMessage } from './fault-text.js';

interface JobFilesProps {
  job: Job;
  detail: JobDetail;
  notices: Notices;
}

/** What the job wrote, and the way to the editor of its transcript. */
export function JobFiles({ job, detail, notices }: JobFilesProps) {
  const text = useMessages(jobText);
  const { files } = detail;
  const [busy, setBusy] = useState<string | null>(null);
  const attempt = async (id: string, act: () => Promise<void>): Promise<void> => {
    setBusy(id);
    try {
      await act();
    } catch (error) {
      detail.session.notice(error);
      notices.say(faultMessage(error), { isBad: true });
    }
    setBusy(null);
  };
  return (
    <>
      <TranscriptLink {...{ job, detail, attempt }} />
      {files.length === 0 && <p class="soft">{isActive(job) ? text.filesLater : text.noFiles}</p>}
      <ul class="files">
        {files.map((file: Artifact) => (
          <li key={file.id}>
            <button
              type="button"
              aria-label={text.download({ name: file.filename })}
              disabled={busy !== null}
              onClick={() => void attempt(file.id, () => detail.download(file))}
            >
              {file.filename}
            </button>
            <small>
              {busy === file.id
                ? text.downloading
                : text.expires({ time: dateText(Date.parse(file.time_expiration), language.get()) })}
            </small>
          </li>
        ))}
      </ul>
    </>
  );
}

interface TranscriptLinkProps extends Omit<JobFilesProps, 'notices'> {
  attempt: (id: string, act: () => Promise<void>) => Promise<void>;
}

function TranscriptLink({ job, detail, attempt }: TranscriptLinkProps) {
  const text = useMessages(jobText);
  const list = useMessages(jobsText);
  const { session, transcript } = detail;
  if (!Object.hasOwn(job.modules, 'speech_recognition') || isActive(job)) return null;
  if (transcript !== null) {
    return (
      <p>
        <a class="button" href={`${session.address}/editor/${transcript}`} onClick={() => session.handOver()}>
          {text.openTranscript}
        </a>
      </p>
    );
  }
  const isRefused = !session.mayWrite;
  return (
    <p>
      <button
        type="button"
        aria-disabled={isRefused}
        title={isRefused ? list.mayNot : undefined}
        onClick={() => !isRefused && void attempt('transcript', () => detail.makeTranscript())}
      >
        {text.makeTranscript}
      </button>
    </p>
  );
}
