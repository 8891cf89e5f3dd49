import { useId, useState } from 'preact/hooks';
import { Dialog } from '../../shared/dialog.js';
import { shellText } from '../messages/en.js';
import { useMessages } from '../messages/i18n.js';
import { useModelText } from '../messages/use-model.en.js';
import { jobAddress, type Route } from '../state/route.js';
import type { Session } from '../state/session.js';
import { percent } from './datasets/datasets.js';
import { faultMessage } from './fault-text.js';
import { useModuleNames } from './module-names.js';

interface UseModelDialogProps {
  session: Session;
  route: Route;
  /** The model. */
  name: string;
  /** Modules that take it, the usual one first. */
  modules: readonly string[];
  onClose: () => void;
}

/** Starts a job that looks with a model of the workspace. */
export function UseModelDialog({ session, route, name, modules, onClose }: UseModelDialogProps) {
  const text = useMessages(useModelText);
  const shell = useMessages(shellText);
  const id = useId();
  const nameOf = useModuleNames();
  const [module, setModule] = useState(modules[0] ?? '');
  const [source, setSource] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [sent, setSent] = useState<number | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const submit = async (): Promise<void> => {
    setFault(null);
    setSent(0);
    try {
      const { client } = session;
      const onProgress = (done: number, all: number): void => setSent(all === 0 ? 1 : done / all);
      const upload = { folder: '/uploads', name: `${Date.now()}-${file?.name ?? ''}`, onProgress };
      const uploaded = file === null ? null : await client.storage.uploadResumably(file, upload);
      const job = await client.request('POST /v1/jobs/', {
        body: { sources: [uploaded?.url ?? source.trim()], modules: { [module]: { model: name } } },
      });
      route.go(jobAddress(job.id));
    } catch (error) {
      session.notice(error);
      setFault(faultMessage(error));
      setSent(null);
    }
  };
  return (
    <Dialog title={text.title({ name })} closeLabel={shell.close} onClose={onClose}>
      <form
        class="sheet-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (sent === null) void submit();
        }}
      >
        {modules.length > 1 && (
          <>
            <label for={`${id}-module`}>{text.module}</label>
            <select id={`${id}-module`} value={module} onChange={({ currentTarget }) => setModule(currentTarget.value)}>
              {modules.map((each) => (
                <option key={each} value={each}>
                  {nameOf(each)}
                </option>
              ))}
            </select>
          </>
        )}
        <label for={id}>{text.source}</label>
        <input
          id={id}
          type="text"
          autofocus
          maxLength={2048}
          autocomplete="off"
          required={file === null}
          value={source}
          aria-describedby={`${id}-hint`}
          onInput={({ currentTarget }) => setSource(currentTarget.value)}
        />
        <small id={`${id}-hint`}>{text.sourceHint}</small>
        <label for={`${id}-file`}>{text.orFile}</label>
        <input
          id={`${id}-file`}
          type="file"
          accept="video/*,image/*"
          onChange={({ currentTarget }) => setFile(currentTarget.files?.[0] ?? null)}
        />
        {fault !== null && (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        <footer>
          <span class="soft" role="status">
            {sent !== null && file !== null && text.sending({ part: percent(sent) })}
          </span>
          <button type="button" onClick={onClose}>
            {shell.cancel}
          </button>
          <button type="submit" class="primary" disabled={sent !== null}>
            {text.submit}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
