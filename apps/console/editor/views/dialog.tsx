import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  title: string;
  /** `side`: along the edge, for lists. */
  kind?: 'middle' | 'side';
  onClose: () => void;
  children: ComponentChildren;
}

/** A modal dialog; the browser traps the focus, restores it afterwards, and closes it by Escape. */
export function Dialog({ title, kind = 'middle', onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => element.current?.showModal(), []);
  const onClick = (event: MouseEvent): void => {
    if (event.target === element.current) onClose();
  };
  return (
    <dialog ref={element} class={kind} aria-labelledby={id} onClose={onClose} onClick={onClick}>
      <div class="sheet">
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" class="plain" aria-label="Close" onClick={() => element.current?.close()}>
            ×
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
