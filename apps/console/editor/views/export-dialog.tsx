import { useEffect, useRef, useState } from 'preact/hooks';
import type { Editor } from '../state/editor.js';
import type { ExportFormat } from '../state/transcript-api.js';
import { Dialog } from '../../shared/dialog.js';

const FORMATS: { format: ExportFormat; name: string; about: string }[] = [
  { format: 'docx', name: 'Word', about: 'A document, with who speaks and when' },
  { format: 'txt', name: 'Text', about: 'A line for each paragraph' },
  { format: 'srt', name: 'SubRip', about: 'Subtitles, for players and film editors' },
  { format: 'vtt', name: 'WebVTT', about: 'Subtitles for the web, with who speaks' },
  { format: 'ttml', name: 'TTML', about: 'Subtitles for broadcast and streaming' },
  { format: 'stl', name: 'EBU-STL', about: 'Subtitles for broadcast, in Latin script' },
  { format: 'json', name: 'JSON', about: 'Everything, with the times of words' },
];

/** Exports the saved version as a file. */
export function ExportDialog({ editor, onClose }: { editor: Editor; onClose: () => void }) {
  const [format, setFormat] = useState<ExportFormat>('docx');
  const [underline, setUnderline] = useState(false);
  const [state, setState] = useState<'ready' | 'writing' | string>('ready');
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const hasCues = format === 'srt' || format === 'vtt';
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setState('writing');
    const { variantId, base } = editor;
    const config = { variant_id: variantId, version: base.version, format, underline_words: hasCues && underline };
    try {
      const { filename, bytes } = await editor.api.export(config, stop.current.signal);
      download(filename, bytes);
      onClose();
    } catch (error) {
      if (!stop.current.signal.aborted) setState(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <Dialog title="Export" onClose={onClose}>
      <form onSubmit={(event) => void onSubmit(event)}>
        <FormatChoice format={format} onChoice={setFormat} />
        {hasCues && (
          <label class="check">
            <input
              type="checkbox"
              checked={underline}
              onChange={({ currentTarget }) => setUnderline(currentTarget.checked)}
            />
            Underline the word that is being said
          </label>
        )}
        <p class="soft" role="status">
          {state === 'writing'
            ? 'The file is being written…'
            : state !== 'ready'
              ? state
              : editor.unsaved > 0
                ? `It is version ${editor.base.version}; what is not saved is not in it.`
                : `Version ${editor.base.version}`}
        </p>
        <footer>
          <button type="submit" class="button strong" disabled={state === 'writing'}>
            Download
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function FormatChoice({ format, onChoice }: { format: ExportFormat; onChoice: (format: ExportFormat) => void }) {
  return (
    <fieldset class="formats">
      <legend class="unseen">Format</legend>
      {FORMATS.map(({ format: each, name, about }) => (
        <label key={each} class="choice">
          <input type="radio" name="format" checked={format === each} onChange={() => onChoice(each)} />
          <span>
            <b>{name}</b> <small>{about}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function download(filename: string, bytes: Blob): void {
  const address = URL.createObjectURL(bytes);
  const link = Object.assign(document.createElement('a'), { href: address, download: filename });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
