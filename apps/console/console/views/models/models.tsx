import type { Model } from '@adit/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { shellText } from '../../messages/en.js';
import { useMessages } from '../../messages/i18n.js';
import { modelsText } from '../../messages/models.en.js';
import type { Models } from '../../state/models.js';
import type { Notices } from '../../state/notices.js';
import { modelAddress, type Route } from '../../state/route.js';
import type { Session } from '../../state/session.js';
import { ActButton } from '../act-button.js';
import { DropArea } from './drop-area.js';
import { faultMessage } from '../fault-text.js';
import { NewModelDialog } from './new-model-dialog.js';
import { TableHead } from '../table-head.js';

export interface ModelsPageProps {
  session: Session;
  route: Route;
  notices: Notices;
  models: Models;
}

/** What jobs can look with; a file that is dropped here becomes a model. */
export function ModelsPage({ session, route, notices, models }: ModelsPageProps) {
  useObserved(models);
  const text = useMessages(modelsText);
  const shell = useMessages(shellText);
  const [file, setFile] = useState<File | null>(null);
  useEffect(() => void (document.title = `${text.title} · Adit`), [text]);
  useEffect(() => void models.read(), [models]);
  const { models: all, fault } = models;
  const take = (dropped: File): void => {
    if (session.mayManage) setFile(dropped);
    else notices.say(text.mayNot);
  };
  return (
    <div class="page models">
      <header class="heading">
        <h1>{text.title}</h1>
        {all !== null && <span class="soft count">{text.count(all.length)}</span>}
      </header>
      <DropArea onFile={take}>
        <span>{text.drop}</span>
        <FileButton {...{ session, notices, take }} />
      </DropArea>
      {fault !== null && (
        <p class="fault" role="alert">
          {faultMessage(fault)}{' '}
          <button type="button" onClick={() => void models.read()}>
            {shell.tryAgain}
          </button>
        </p>
      )}
      {all === null && fault === null && <p class="soft">{text.loading}</p>}
      {all !== null && all.length === 0 && <p class="empty">{text.none}</p>}
      {all !== null && all.length > 0 && <ModelTable models={all} />}
      {file !== null && (
        <NewModelDialog
          {...{ file, models, session }}
          onClose={() => setFile(null)}
          onAdded={({ id, name, latest_version: { version_number: version } }) => {
            setFile(null);
            notices.say(text.added({ name, version }));
            route.go(modelAddress(id));
          }}
        />
      )}
    </div>
  );
}

function FileButton({
  session,
  notices,
  take,
}: Omit<ModelsPageProps, 'route' | 'models'> & { take: (file: File) => void }) {
  const text = useMessages(modelsText);
  const input = useRef<HTMLInputElement>(null);
  const refused = session.mayManage ? undefined : text.mayNot;
  return (
    <>
      <ActButton {...{ session, notices, label: text.choose, refused, act: () => input.current?.click() }} />
      <input
        ref={input}
        type="file"
        hidden
        accept=".onnx,.zip,.tar,.gz,.tgz"
        aria-label={text.file}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          currentTarget.value = '';
          if (file !== undefined) take(file);
        }}
      />
    </>
  );
}

function ModelTable({ models }: { models: readonly Model[] }) {
  const text = useMessages(modelsText);
  return (
    <table class="list rows-list">
      <TableHead names={[text.name, text.kind, text.version, text.scope]} />
      <tbody>
        {models.map((model) => (
          <tr key={model.id}>
            <th scope="row">
              <a href={modelAddress(model.id)}>{model.name}</a>
              {model.description !== '' && <small>{model.description}</small>}
            </th>
            <td>{model.family ?? model.task}</td>
            <td>{text.versionOf({ version: model.default_version, all: model.versions.length })}</td>
            <td>{model.is_public ? text.isPublic : text[model.scope]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
