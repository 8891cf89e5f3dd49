import type { StorageEntryV2 } from '@adit/client';
import { useMemo, useState } from 'preact/hooks';
import { language, useMessages } from '../../messages/i18n.js';
import { storageText } from '../../messages/storage.en.js';
import { bytesText } from '../../model/bytes.js';
import { baseName, storageAddress } from '../../model/folders.js';
import { dateText } from '../../model/time.js';
import { saveAs } from '../../state/download.js';
import type { Notices } from '../../state/notices.js';
import { Pictures } from '../../state/pictures.js';
import type { Route } from '../../state/route.js';
import type { Session } from '../../state/session.js';
import type { Storage } from '../../state/storage/storage.js';
import { ActButton, attempt } from '../act-button.js';
import { AskDialog } from '../forms/ask-dialog.js';
import { SmallPicture } from '../small-picture.js';
import { StartJobDialog } from './start-job-dialog.js';
import { TableHead } from '../table-head.js';

/** A page holds all of what it downloads before the browser keeps it. */
const MOST_DOWNLOADED = 2 ** 30;

interface EntryTableProps {
  session: Session;
  route: Route;
  notices: Notices;
  storage: Storage;
  entries: readonly StorageEntryV2[];
}

type Asked = { act: 'start' | 'delete'; entry: StorageEntryV2 } | null;

export function EntryTable({ session, route, notices, storage, entries }: EntryTableProps) {
  const text = useMessages(storageText);
  const [asked, setAsked] = useState<Asked>(null);
  const pictures = useMemo(() => new Pictures(session), [session]);
  const close = (): void => setAsked(null);
  return (
    <>
      <table class="list rows-list entries">
        <TableHead names={[text.name, text.kind, text.size, text.changed, text.actions]} />
        <tbody>
          {entries.map((entry) => (
            <EntryRow key={entry.id} {...{ session, notices, entry, pictures, setAsked }} />
          ))}
        </tbody>
      </table>
      {asked?.act === 'start' && (
        <StartJobDialog {...{ session, route, notices, entry: asked.entry }} onClose={close} />
      )}
      {asked?.act === 'delete' && (
        <DeleteDialog
          entry={asked.entry}
          onClose={close}
          onDelete={() => {
            close();
            void attempt({ session, notices }, async () => {
              await storage.remove(asked.entry);
              notices.say(text.deleted({ name: baseName(asked.entry.name) }));
            });
          }}
        />
      )}
    </>
  );
}

interface EntryRowProps {
  session: Session;
  notices: Notices;
  entry: StorageEntryV2;
  pictures: Pictures;
  setAsked: (asked: Asked) => void;
}

function EntryRow({ session, notices, entry, pictures, setAsked }: EntryRowProps) {
  const text = useMessages(storageText);
  const { storage_type: kind, file_size: size, uploaded, uploaded_at: time, upload_failed: failed } = entry;
  const name = baseName(entry.name);
  return (
    <tr>
      <th scope="row">
        {uploaded && kind !== null && kind !== 'FOLDER' && (
          <SmallPicture pictures={pictures} place={{ storageId: entry.id }} />
        )}
        {kind === 'FOLDER' ? <a href={storageAddress(entry.name)}>{name}</a> : name}
        {!uploaded && <small>{failed ? text.broken : text.incomplete}</small>}
      </th>
      <td>{kind === null ? text.other : text[kind]}</td>
      <td>{size === null ? '' : bytesText(size, language.get())}</td>
      <td>{time === null ? '' : dateText(Date.parse(time), language.get())}</td>
      <td class="actions-cell">
        {kind !== 'FOLDER' && uploaded && (
          <ActButton
            {...{ session, notices, label: text.start, title: text.startOf({ name }) }}
            act={() => setAsked({ act: 'start', entry })}
          />
        )}{' '}
        {kind !== 'FOLDER' && uploaded && <Download {...{ session, notices, entry }} />}{' '}
        <ActButton
          {...{ session, notices, label: text.delete, title: text.deleteOf({ name }), kind: 'quiet' }}
          act={() => setAsked({ act: 'delete', entry })}
        />
      </td>
    </tr>
  );
}

/** Readers download, too: nothing changes by it. */
function Download({ session, notices, entry }: Pick<EntryRowProps, 'session' | 'notices' | 'entry'>) {
  const text = useMessages(storageText);
  const [busy, setBusy] = useState(false);
  const name = baseName(entry.name);
  const isLarge = (entry.file_size ?? 0) > MOST_DOWNLOADED;
  const download = async (): Promise<void> => {
    if (isLarge) return notices.say(text.tooLarge({ most: bytesText(MOST_DOWNLOADED, language.get()) }));
    setBusy(true);
    await attempt({ session, notices }, async () => {
      const params = { storageId: entry.id };
      await saveAs(await session.client.raw('GET /v2/storage/{storageId}/file/', { params }), name);
    });
    setBusy(false);
  };
  return (
    <button type="button" disabled={busy} aria-label={text.downloadOf({ name })} onClick={() => void download()}>
      {busy ? text.downloading : text.download}
    </button>
  );
}

interface DeleteDialogProps {
  entry: StorageEntryV2;
  onClose: () => void;
  onDelete: () => void;
}

function DeleteDialog({ entry, onClose, onDelete }: DeleteDialogProps) {
  const text = useMessages(storageText);
  const name = baseName(entry.name);
  const title = entry.storage_type === 'FOLDER' ? text.deleteFolder({ name }) : text.deleteFile({ name });
  return (
    <AskDialog title={title} submit={text.deleteSubmit} kind="danger" onClose={onClose} onSubmit={onDelete}>
      <p>{text.deleteText}</p>
    </AskDialog>
  );
}
