import { Dialog } from '../../../shared/dialog.js';
import { shellText } from '../../messages/en.js';
import { useMessages } from '../../messages/i18n.js';

interface ConfirmDialogProps {
  title: string;
  text: string;
  submitLabel: string;
  onClose: () => void;
  act: () => void;
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog({ title, text, submitLabel, onClose, act }: ConfirmDialogProps) {
  const shell = useMessages(shellText);
  return (
    <Dialog title={title} closeLabel={shell.close} onClose={onClose}>
      <p>{text}</p>
      <footer>
        <button type="button" onClick={onClose} autofocus>
          {shell.cancel}
        </button>
        <button
          type="button"
          class="danger"
          onClick={() => {
            onClose();
            act();
          }}
        >
          {submitLabel}
        </button>
      </footer>
    </Dialog>
  );
}
