import { useId, useState } from 'preact/hooks';
import { Dialog } from '../../../shared/dialog.js';
import { shellText } from '../../messages/en.js';
import { useMessages } from '../../messages/i18n.js';
import { keysText } from '../../messages/keys.en.js';
import type { Secret } from '../../state/session.js';

/** Shows a new key once. Neither a click beside it nor Escape takes it away. */
export function SecretDialog({ secret: { name, title, parts }, onClose }: { secret: Secret; onClose: () => void }) {
  const text = useMessages(keysText);
  const shell = useMessages(shellText);
  return (
    <Dialog title={title ?? text.newKey({ name })} closeLabel={shell.close} stays onClose={onClose}>
      <p>{text.shownOnce}</p>
      {parts.map(([part, value], at) => (
        <SecretPart key={part} name={part} value={value} isLast={at === parts.length - 1} />
      ))}
      <footer>
        <button type="button" class="primary" onClick={onClose}>
          {text.done}
        </button>
      </footer>
    </Dialog>
  );
}

function SecretPart({ name, value, isLast }: { name: string; value: string; isLast: boolean }) {
  const text = useMessages(keysText);
  const id = useId();
  const [said, setSaid] = useState('');
  const copy = async (): Promise<void> => {
    try {
      // Only where the page came safely, or from this machine.
      await navigator.clipboard.writeText(value);
      setSaid(text.copied);
    } catch {
      const field = document.getElementById(id);
      if (field instanceof HTMLInputElement) field.select();
      setSaid(text.notCopied);
    }
  };
  return (
    <div class="secret">
      <label for={id}>{name}</label>
      <input
        id={id}
        type="text"
        readOnly
        autofocus={isLast}
        value={value}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <button type="button" aria-label={`${text.copy}: ${name}`} onClick={() => void copy()}>
        {text.copy}
      </button>
      <small role="status">{said}</small>
    </div>
  );
}
