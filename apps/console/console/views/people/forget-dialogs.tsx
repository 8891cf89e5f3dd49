import type { Erasure } from '@adit/client';
import { useEffect, useState } from 'preact/hooks';
import { Dialog } from '../../../shared/dialog.js';
import { shellText } from '../../messages/en.js';
import { language, useMessages } from '../../messages/i18n.js';
import { erasedText, peopleText } from '../../messages/people.en.js';
import { dateText } from '../../model/time.js';
import { followErasure } from '../../state/naming.js';
import type { Session } from '../../state/session.js';

interface ForgetDialogProps {
  name: string;
  onClose: () => void;
  onForget: () => void;
}

/** Asks before somebody is erased. */
export function ForgetDialog({ name, onClose, onForget }: ForgetDialogProps) {
  const text = useMessages(peopleText);
  const shell = useMessages(shellText);
  return (
    <Dialog title={text.forgetTitle({ name })} closeLabel={shell.close} onClose={onClose}>
      <p>{text.forgetText}</p>
      <footer>
        <button type="button" onClick={onClose} autofocus>
          {shell.cancel}
        </button>
        <button
          type="button"
          class="danger"
          onClick={() => {
            onClose();
            onForget();
          }}
        >
          {text.forgetSubmit}
        </button>
      </footer>
    </Dialog>
  );
}

interface ReceiptDialogProps {
  session: Session;
  receipt: Erasure;
  onClose: () => void;
}

/** What was erased, counted on until nothing is left. */
export function ReceiptDialog({ session, receipt, onClose }: ReceiptDialogProps) {
  const text = useMessages(peopleText);
  const names: Record<string, string> = useMessages(erasedText);
  const shell = useMessages(shellText);
  const [shown, setShown] = useState(receipt);
  useEffect(() => {
    const ends = new AbortController();
    followErasure(session, receipt, { signal: ends.signal, tell: setShown }).catch((error: unknown) => {
      session.notice(error);
    });
    return () => ends.abort();
  }, [receipt]);
  const { counts, time_completed: ended, requested_by: by, id } = shown;
  return (
    <Dialog title={text.receipt} closeLabel={shell.close} onClose={onClose}>
      <p role="status">
        {ended === null ? text.receiptWorking : text.receiptDone({ time: dateText(Date.parse(ended), language.get()) })}
      </p>
      <dl class="facts receipt">
        {Object.entries(counts)
          .filter(([, count]) => count > 0)
          .map(([kind, count]) => (
            <div key={kind}>
              <dt>{Object.hasOwn(names, kind) ? names[kind] : kind.replaceAll('_', ' ')}</dt>
              <dd>{count.toLocaleString(language.get())}</dd>
            </div>
          ))}
        <div>
          <dt>{text.receiptBy}</dt>
          <dd>{by.name}</dd>
        </div>
        <div>
          <dt>{text.receiptId}</dt>
          <dd>{id}</dd>
        </div>
      </dl>
      <p class="soft">{text.receiptKeep}</p>
      <footer>
        <button type="button" class="primary" onClick={onClose} autofocus>
          {shell.close}
        </button>
      </footer>
    </Dialog>
  );
}
