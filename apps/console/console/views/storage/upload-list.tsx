import { language, useMessages } from '../../messages/i18n.js';
import { storageText } from '../../messages/storage.en.js';
import { bytesText } from '../../model/bytes.js';
import { shownUploads, uploadSums } from '../../model/uploads.js';
import type { Notices } from '../../state/notices.js';
import type { Session } from '../../state/session.js';
import type { Upload, Uploads } from '../../state/storage/uploads.js';
import { attempt } from '../act-button.js';
import { faultMessage } from '../fault-text.js';

const SHOWN = 50;

interface UploadListProps {
  session: Session;
  notices: Notices;
  uploads: Uploads;
}

/** What is on its way to the service. */
export function UploadList({ session, notices, uploads }: UploadListProps) {
  const text = useMessages(storageText);
  const { items } = uploads;
  if (items.length === 0) return null;
  const { shown, more } = shownUploads(items, SHOWN);
  const { over, bytes, sent, moves } = uploadSums(items);
  const size = (of: number): string => bytesText(of, language.get());
  const canResume = items.some(({ state, file }) => file !== null && (state === 'paused' || state === 'failed'));
  return (
    <section class="uploads" aria-label={text.uploads}>
      <header class="heading">
        <h2>{text.uploads}</h2>
        <span class="soft">{text.sums({ over, all: items.length, sent: size(sent), bytes: size(bytes) })}</span>
        <progress aria-label={text.overall} max={Math.max(1, bytes)} value={sent} />
        {moves && (
          <button type="button" onClick={() => uploads.pause()}>
            {text.pauseAll}
          </button>
        )}
        {canResume && (
          <button type="button" onClick={() => uploads.resume()}>
            {text.resumeAll}
          </button>
        )}
        {over > 0 && (
          <button type="button" class="quiet" onClick={() => uploads.clear()}>
            {text.clear}
          </button>
        )}
      </header>
      <ul>
        {shown.map((item) => (
          <UploadRow
            key={`${item.folder}/${item.name}/${item.size}/${item.modified}`}
            {...{ item, uploads }}
            giveUp={() => void attempt({ session, notices }, () => uploads.giveUp(item))}
          />
        ))}
      </ul>
      {more > 0 && <p class="soft">{text.moreUploads(more)}</p>}
    </section>
  );
}

interface UploadRowProps {
  item: Upload;
  uploads: Uploads;
  giveUp: () => void;
}

function UploadRow({ item, uploads, giveUp }: UploadRowProps) {
  const text = useMessages(storageText);
  const { name, folder, state, sent, size } = item;
  const path = folder === '/' ? name : `${folder.slice(1)}/${name}`;
  const isOver = state === 'done' || state === 'there';
  const button = (label: string, title: string, act: () => void, kind = '') => (
    <button type="button" class={kind} aria-label={title} onClick={act}>
      {label}
    </button>
  );
  return (
    <li class={`upload ${state}`}>
      <span class="path">{path}</span>
      <StateText item={item} />
      {!isOver && <progress aria-label={text.progressOf({ name: path })} max={Math.max(1, size)} value={sent} />}
      <span class="actions">
        {(state === 'sending' || state === 'waiting') &&
          button(text.pause, text.pauseOf({ name: path }), () => uploads.pause(item))}
        {(state === 'paused' || state === 'failed') &&
          item.file !== null &&
          button(text.resume, text.resumeOf({ name: path }), () => uploads.resume(item))}
        {(state === 'taken' || state === 'there') && (
          <>
            {button(text.replace, text.replaceOf({ name: path }), () => uploads.resume(item, 'replace'))}
            {button(text.rename, text.renameOf({ name: path }), () => uploads.resume(item, 'rename'))}
          </>
        )}
        {!isOver && button(text.giveUp, text.giveUpOf({ name: path }), giveUp, 'quiet')}
      </span>
    </li>
  );
}

/** How far it is, or why it does not move. */
function StateText({ item: { state, sent, size, error } }: { item: Upload }) {
  const text = useMessages(storageText);
  const amounts = { sent: bytesText(sent, language.get()), size: bytesText(size, language.get()) };
  if (state === 'failed') return <span class="bad">{faultMessage(error)}</span>;
  if (state === 'sending' || state === 'paused' || state === 'kept') return <span>{text[state](amounts)}</span>;
  return <span>{text[state]}</span>;
}
