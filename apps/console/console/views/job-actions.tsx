import { useState } from 'preact/hooks';
import { Dialog } from '../../shared/dialog.js';
import { jobsText, shellText } from '../messages/en.js';
import { useMessages } from '../messages/i18n.js';
import { isActive, mayRetry, type JobRow } from '../model/job-rows.js';
import type { Notices } from '../state/notices.js';
import type { Session } from '../state/session.js';
import { ActButton, attempt } from './act-button.js';

export interface JobActs {
  retry: () => Promise<void>;
  stop: () => Promise<void>;
  remove: () => Promise<void>;
}

interface JobActionsProps {
  row: JobRow;
  session: Session;
  notices: Notices;
  acts: JobActs;
}

/** Buttons for what may be done with a job; to a reader they say why not. */
export function JobActions({ row, session, notices, acts }: JobActionsProps) {
  const text = useMessages(jobsText);
  const [asks, setAsks] = useState(false);
  const [busy, setBusy] = useState(false);
  const { name } = row;
  const run = async (act: () => Promise<void>, done: string): Promise<void> => {
    setBusy(true);
    await attempt({ session, notices }, async () => {
      await act();
      notices.say(done);
    });
    setBusy(false);
  };
  const button = (label: string, title: string, act: () => void, kind = '') => (
    <ActButton {...{ session, notices, label, title, kind, busy, act }} />
  );
  return (
    <div class="actions">
      {isActive(row) && button(text.stop, text.stopOf({ name }), () => void run(acts.stop, text.stoppedNow({ name })))}
      {mayRetry(row) && button(text.retry, text.retryOf({ name }), () => void run(acts.retry, text.retried({ name })))}
      {button(text.delete, text.deleteOf({ name }), () => setAsks(true), 'quiet')}
      {asks && (
        <DeleteDialog
          name={name}
          onClose={() => setAsks(false)}
          onDelete={() => void run(acts.remove, text.deleted({ name }))}
        />
      )}
    </div>
  );
}

function DeleteDialog({ name, onClose, onDelete }: { name: string; onClose: () => void; onDelete: () => void }) {
  const text = useMessages(jobsText);
  const shell = useMessages(shellText);
  return (
    <Dialog title={text.deleteTitle} closeLabel={shell.close} onClose={onClose}>
      <p>{text.deleteText({ name })}</p>
      <footer>
        <button type="button" onClick={onClose} autofocus>
          {shell.cancel}
        </button>
        <button
          type="button"
          class="danger"
          onClick={() => {
            onClose();
            onDelete();
          }}
        >
          {text.delete}
        </button>
      </footer>
    </Dialog>
  );
}
