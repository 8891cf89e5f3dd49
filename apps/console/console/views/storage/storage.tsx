import { AditApiError } from '@adit/client';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { shellText } from '../../messages/en.js';
import { language, useMessages } from '../../messages/i18n.js';
import { storageText } from '../../messages/storage.en.js';
import { bytesText } from '../../model/bytes.js';
import { baseName, foldersTo, storageAddress } from '../../model/folders.js';
import { chosenFiles, droppedFiles, MOST_FILES, type DroppedFile } from '../../state/storage/dropped-files.js';
import type { Notices } from '../../state/notices.js';
import type { Route } from '../../state/route.js';
import type { Session } from '../../state/session.js';
import { Storage } from '../../state/storage/storage.js';
import { uploadsOf } from '../../state/storage/uploads.js';
import { ActButton } from '../act-button.js';
import { faultMessage } from '../fault-text.js';
import { EntryTable } from './entry-table.js';
import { UploadList } from './upload-list.js';

export interface StoragePageProps {
  session: Session;
  route: Route;
  notices: Notices;
  folder: string;
}

/** The folders and files that jobs can mine; what is dropped here is uploaded. */
export function StoragePage({ session, route, notices, folder }: StoragePageProps) {
  const text = useMessages(storageText);
  const shell = useMessages(shellText);
  const storage = useMemo(() => new Storage(session), [session]);
  const uploads = useMemo(() => uploadsOf(session), [session]);
  useObserved(storage, uploads);
  useEffect(() => void (document.title = `${text.title} · Adit`), [text]);
  useEffect(() => void storage.open(folder), [storage, folder]);
  // What became whole before the page was opened is in what it reads.
  const finished = useRef(uploads.finished);
  useEffect(() => {
    if (finished.current !== uploads.finished) storage.soon();
    finished.current = uploads.finished;
  }, [storage, uploads.finished]);
  const take = (files: readonly DroppedFile[]): void => {
    if (!session.mayWrite) return;
    if (files.length === 0) notices.say(text.nothing);
    if (files.length > MOST_FILES) notices.say(text.tooMany({ most: MOST_FILES.toLocaleString(language.get()) }));
    uploads.add(folder, files.slice(0, MOST_FILES));
  };
  const { entries, fault, hasMore, total } = storage;
  const isMissing = fault instanceof AditApiError && fault.status === 404;
  return (
    <div class="page storage">
      <header class="heading">
        <Way folder={folder} />
        {entries !== null && <span class="soft count">{text.count(total)}</span>}
        <Use storage={storage} />
      </header>
      <UploadArea {...{ session, notices, take }} />
      <UploadList {...{ session, notices, uploads }} />
      {fault !== null && !isMissing && (
        <p class="fault" role="alert">
          {faultMessage(fault)}{' '}
          <button type="button" onClick={() => void storage.open(folder)}>
            {shell.tryAgain}
          </button>
        </p>
      )}
      {entries === null && fault === null && <p class="soft">{text.loading}</p>}
      {(isMissing || entries?.length === 0) && <p class="empty">{isMissing ? text.noFolder : text.empty}</p>}
      {!isMissing && entries !== null && entries.length > 0 && (
        <EntryTable {...{ session, route, notices, storage, entries }} />
      )}
      {!isMissing && hasMore && (
        <p class="center">
          <button type="button" onClick={() => void storage.more()}>
            {text.more}
          </button>
        </p>
      )}
    </div>
  );
}

/** The folders on the way here. */
function Way({ folder }: { folder: string }) {
  const text = useMessages(storageText);
  const folders = foldersTo(folder);
  const here = folders.at(-1);
  if (here === undefined) return <h1>{text.root}</h1>;
  return (
    <>
      <nav class="way" aria-label={text.way}>
        <a href={storageAddress('/')}>{text.root}</a>
        {folders.slice(0, -1).map((each) => (
          <a key={each} href={storageAddress(each)}>
            {baseName(each)}
          </a>
        ))}
      </nav>
      <h1>{baseName(here)}</h1>
    </>
  );
}

/** How much is stored, and how much more may be. */
function Use({ storage }: { storage: Storage }) {
  const text = useMessages(storageText);
  const { use } = storage;
  if (use === null) return null;
  const shown = (bytes: number): string => bytesText(bytes, language.get());
  const { used, free, limit, uploads, transcripts, recordings } = use;
  const kinds = text.kinds({
    ...{ uploads: shown(uploads), transcripts: shown(transcripts), recordings: shown(recordings) },
  });
  return (
    <span class="use" title={kinds}>
      {limit !== null && <meter aria-label={text.usedLabel} min={0} max={limit} value={used} high={limit * 0.9} />}
      {limit === null || free === null
        ? text.used({ used: shown(used) })
        : text.free({ used: shown(used), free: shown(free), limit: shown(limit) })}
    </span>
  );
}

interface UploadAreaProps {
  session: Session;
  notices: Notices;
  take: (files: readonly DroppedFile[]) => void;
}

/** Where files are dropped or chosen. */
function UploadArea({ session, notices, take }: UploadAreaProps) {
  const text = useMessages(storageText);
  const [over, setOver] = useState(false);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const shell = useMessages(shellText);
  const refused = session.mayWrite ? null : text.mayNotUpload({ role: shell.reader });
  const input = (ref: typeof files, name: string, isFolder: boolean) => (
    <input
      ref={ref}
      type="file"
      hidden
      multiple
      aria-label={name}
      {...(isFolder && { webkitdirectory: true })}
      onChange={({ currentTarget }) => {
        take(chosenFiles(currentTarget.files));
        currentTarget.value = '';
      }}
    />
  );
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
        if (refused !== null) return notices.say(refused);
        droppedFiles(event.dataTransfer?.items).then(take, (error: unknown) =>
          notices.say(faultMessage(error), { isBad: true }),
        );
      }}
    >
      <span>{refused ?? text.drop}</span>
      <ActButton {...{ session, notices, label: text.chooseFiles, act: () => files.current?.click() }} />
      <ActButton {...{ session, notices, label: text.chooseFolder, act: () => folder.current?.click() }} />
      {input(files, text.files, false)}
      {input(folder, text.folder, true)}
    </div>
  );
}
