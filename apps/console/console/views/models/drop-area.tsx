import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** Where a file can be dropped; what it holds is a way for those who do not drag. */
export function DropArea({ onFile, children }: { onFile: (file: File) => void; children: ComponentChildren }) {
  const [over, setOver] = useState(false);
  return (
    <div
      class={over ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const [file] = event.dataTransfer?.files ?? [];
        if (file !== undefined) onFile(file);
      }}
    >
      {children}
    </div>
  );
}
