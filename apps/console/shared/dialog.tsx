import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  title: string;
  /** `side`: along the edge, for lists. */
  kind?: 'middle' | 'side';
  /** For screen readers, in the language of the page. */
  closeLabel?: string;
  /** Neither a click beside it nor Escape closes it. */
  stays?: boolean;
  onClose: () => void;
  children: ComponentChildren;
}

/** A modal dialog; the browser traps the focus, restores it afterwards, and closes it by Escape. */
export function Dialog({
  title,
  kind = 'middle',
  closeLabel = 'Close',
  stays = false,
  onClose,
  children,
}: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => element.current?.showModal(), []);
  const onClick = (event: MouseEvent): void => {
    if (event.target === element.current && !stays) onClose();
  };
  const onCancel = (event: Event): void => {
    if (stays) event.preventDefault();
  };
  return (
    <dialog ref={element} class={kind} aria-labelledby={id} {...{ onClose, onClick, onCancel }}>
      <div class="sheet">
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" class="plain" aria-label={closeLabel} onClick={() => element.current?.close()}>
            ×
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
