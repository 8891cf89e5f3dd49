import type { DatasetImport, DatasetImportError } from '@adit/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useMessages } from '../../messages/i18n.js';
import { datasetsText } from '../../messages/datasets.en.js';
import type { DatasetDetail } from '../../state/datasets/dataset-detail.js';
import type { Notices } from '../../state/notices.js';
import type { Session } from '../../state/session.js';
import { ActButton, attempt } from '../act-button.js';
import { percent } from './datasets.js';

interface DatasetFilesProps {
  session: Session;
  notices: Notices;
  detail: DatasetDetail;
}

/** Many images at once, in and out. */
export function DatasetFiles({ session, notices, detail }: DatasetFilesProps) {
  const text = useMessages(datasetsText);
  const input = useRef<HTMLInputElement>(null);
  const [sent, setSent] = useState<{ name: string; part: number } | null>(null);
  const take = async (file: File): Promise<void> => {
    setSent({ name: file.name, part: 0 });
    await attempt({ session, notices }, () => detail.importFile(file, (part) => setSent({ name: file.name, part })));
    setSent(null);
  };
  return (
    <section class="part" aria-label={text.imports}>
      <h2>{text.imports}</h2>
      <p class="soft">{text.importHint}</p>
      <div class="actions">
        <ActButton
          {...{ session, notices, label: text.import, busy: sent !== null, act: () => input.current?.click() }}
        />
        <ExportButton {...{ session, notices, detail, strategy: 'basic_dataset_export', label: text.export }} />
        <ExportButton {...{ session, notices, detail, strategy: 'coco_export', label: text.exportCoco }} />
      </div>
      <input
        ref={input}
        type="file"
        hidden
        accept=".zip,.csv"
        aria-label={text.import}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          currentTarget.value = '';
          if (file !== undefined) void take(file);
        }}
      />
      <p role="status">{sent !== null && text.importSending({ name: sent.name, part: percent(sent.part) })}</p>
      <ul class="imports">
        {detail.imports.map((one) => (
          <Import key={one.id} {...{ session, notices, detail, one }} />
        ))}
      </ul>
    </section>
  );
}

interface ExportButtonProps extends DatasetFilesProps {
  strategy: Parameters<DatasetDetail['exported']>[0];
  label: string;
}

/** Has an archive written, and gives it to the person. */
function ExportButton({ session, notices, detail, strategy, label }: ExportButtonProps) {
  const text = useMessages(datasetsText);
  const [busy, setBusy] = useState(false);
  const left = useRef(new AbortController());
  useEffect(() => () => left.current.abort(), []);
  const write = async (): Promise<void> => {
    setBusy(true);
    notices.say(text.exporting);
    await attempt({ session, notices }, async () => {
      const archive = await detail.exported(strategy, left.current.signal);
      const link = document.createElement('a');
      link.href = URL.createObjectURL(archive);
      link.download = `${detail.dataset?.name ?? 'dataset'}.zip`;
      link.click();
      URL.revokeObjectURL(link.href);
      notices.clear();
    });
    setBusy(false);
  };
  return <ActButton {...{ session, notices, label, busy, act: () => void write() }} />;
}

/** How far an import is; what it could not take, when that is asked for. */
function Import({ session, notices, detail, one }: DatasetFilesProps & { one: DatasetImport }) {
  const text = useMessages(datasetsText);
  const [errors, setErrors] = useState<DatasetImportError[] | null>(null);
  const { id, state, progress, error_msg: reason } = one;
  const [images, files, failed] = [one.number_of_images, one.number_of_files, one.number_of_errors];
  const isOver = one.time_completed !== null;
  return (
    <li>
      <p>
        {state === 'failed'
          ? text.importFailed({ reason: reason ?? '' })
          : text.importState({ images, files, errors: failed })}
        {!isOver && <progress max={1} value={progress} aria-label={text.imports} />}
      </p>
      {!isOver && (
        <ActButton
          {...{ session, notices, label: text.importStop }}
          act={() => void attempt({ session, notices }, () => detail.stopImport(id))}
        />
      )}
      {failed > 0 && (
        <details
          onToggle={({ currentTarget }) => {
            if (!currentTarget.open || errors !== null) return;
            void attempt({ session, notices }, async () => setErrors(await detail.importErrors(id)));
          }}
        >
          <summary>{text.importErrors}</summary>
          <ul>
            {errors?.map(({ file, message }) => (
              <li key={file}>
                <b>{file}</b> {message}
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}
