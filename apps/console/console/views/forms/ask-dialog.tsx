import type { ComponentChildren } from 'preact';
import { Dialog } from '../../../shared/dialog.js';
import { shellText } from '../../messages/en.js';
import { useMessages } from '../../messages/i18n.js';

interface AskDialogProps {
  title: string;
  submit: string;
  kind?: 'primary' | 'danger';
  /** It is at it: nothing is sent twice. */
  busy?: boolean;
  onClose: () => void;
  onSubmit: () => void;
  children: ComponentChildren;
}

/** A form in a dialog. */
export function AskDialog({
  title,
  submit,
  kind = 'primary',
  busy = false,
  onClose,
  onSubmit,
  children,
}: AskDialogProps) {
  const shell = useMessages(shellText);
  return (
    <Dialog title={title} closeLabel={shell.close} onClose={onClose}>
      <form
        class="sheet-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) onSubmit();
        }}
      >
        {children}
        <footer>
          <button type="button" onClick={onClose}>
            {shell.cancel}
          </button>
          <button type="submit" class={kind} disabled={busy}>
            {submit}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
