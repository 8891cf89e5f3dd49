import type { Module, StorageEntryV2 } from '@adit/client';
import { useEffect, useId, useState } from 'preact/hooks';
import { useMessages } from '../../messages/i18n.js';
import { storageText } from '../../messages/storage.en.js';
import { baseName } from '../../model/folders.js';
import type { Notices } from '../../state/notices.js';
import { jobAddress, type Route } from '../../state/route.js';
import type { Session } from '../../state/session.js';
import { attempt } from '../act-button.js';
import { AskDialog } from '../forms/ask-dialog.js';
import { useModuleNames } from '../module-names.js';

interface StartJobDialogProps {
  session: Session;
  route: Route;
  notices: Notices;
  entry: StorageEntryV2;
  onClose: () => void;
}

/** Asks what is to be found in a file, and starts the job. */
export function StartJobDialog({ session, route, notices, entry, onClose }: StartJobDialogProps) {
  const text = useMessages(storageText);
  const nameOf = useModuleNames();
  const id = useId();
  const [modules, setModules] = useState<Module[] | null>(null);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [tag, setTag] = useState('');
  const name = baseName(entry.name);
  useEffect(() => {
    void attempt({ session, notices }, async () => {
      const all = await session.client.request('GET /v1/modules/');
      setModules(all.filter(({ media }) => suits(entry, media)));
    });
  }, [entry]);
  const start = (): void => {
    if (chosen.length === 0 || entry.url === null) return notices.say(text.startChoose);
    const order = { sources: [entry.url], modules: Object.fromEntries(chosen.map((each) => [each, {}])), tag };
    onClose();
    void attempt({ session, notices }, async () => {
      const job = await session.client.request('POST /v1/jobs/', { body: order });
      notices.say(text.started({ name }));
      route.go(jobAddress(job.id));
    });
  };
  return (
    <AskDialog title={text.startTitle({ name })} submit={text.startSubmit} onClose={onClose} onSubmit={start}>
      {modules === null && <p class="soft">{text.loading}</p>}
      {modules?.length === 0 && <p>{text.startNone}</p>}
      {modules !== null && modules.length > 0 && (
        <fieldset>
          <legend>{text.startChoose}</legend>
          {modules.map((each) => (
            <label key={each.id} class="check">
              <input
                type="checkbox"
                checked={chosen.includes(each.id)}
                onChange={({ currentTarget: { checked } }) =>
                  setChosen((before) => (checked ? [...before, each.id] : before.filter((one) => one !== each.id)))
                }
              />
              <span>
                {nameOf(each.id)} <small>{each.id}</small>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      <label for={id}>{text.startTag}</label>
      <input
        id={id}
        type="text"
        maxLength={255}
        autocomplete="off"
        aria-describedby={`${id}-hint`}
        value={tag}
        onInput={({ currentTarget }) => setTag(currentTarget.value)}
      />
      <small id={`${id}-hint`}>{text.startTagHint}</small>
    </AskDialog>
  );
}

/** Whether a module may be asked about a file, as far as its kind is known. */
function suits({ storage_type: kind }: StorageEntryV2, media: readonly string[]): boolean {
  return kind === null || media.includes(kind.toLowerCase());
}
