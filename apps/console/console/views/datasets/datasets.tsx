import type { Dataset } from '@adit/client';
import { useEffect, useState } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { shellText } from '../../messages/en.js';
import { language, useMessages } from '../../messages/i18n.js';
import { datasetsText } from '../../messages/datasets.en.js';
import { datasetAddress } from '../../model/datasets.js';
import type { Datasets } from '../../state/datasets/datasets.js';
import { ActButton } from '../act-button.js';
import { faultMessage } from '../fault-text.js';
import { FormDialog } from '../forms/form-dialog.js';
import type { DatasetPageProps } from './page-props.js';
import { Sections } from './sections.js';
import { TableHead } from '../table-head.js';

/** All datasets of the workspace. */
export function DatasetsPage({ session, route, notices, datasets }: DatasetPageProps & { datasets: Datasets }) {
  useObserved(datasets);
  const text = useMessages(datasetsText);
  const shell = useMessages(shellText);
  const [adds, setAdds] = useState(false);
  useEffect(() => void (document.title = `${text.title} · Adit`), [text]);
  useEffect(() => void datasets.open(), [datasets]);
  const { datasets: all, fault, total, hasMore, loading } = datasets;
  return (
    <div class="page datasets">
      <Sections page="datasets" />
      <header class="heading">
        <h1>{text.title}</h1>
        {all !== null && <span class="soft count">{text.count(total)}</span>}
        <span class="actions">
          <ActButton {...{ session, notices, label: text.add, act: () => setAdds(true) }} />
        </span>
      </header>
      {fault !== null && (
        <p class="fault" role="alert">
          {faultMessage(fault)}{' '}
          <button type="button" onClick={() => void datasets.more()}>
            {shell.tryAgain}
          </button>
        </p>
      )}
      {all === null && fault === null && <p class="soft">{text.loading}</p>}
      {all?.length === 0 && (
        <div class="empty">
          <p>{text.none}</p>
          <p class="soft">{text.noneHint}</p>
        </div>
      )}
      {all !== null && all.length > 0 && <DatasetTable datasets={all} />}
      {hasMore && (
        <p class="center">
          <button type="button" disabled={loading} onClick={() => void datasets.more()}>
            {text.more}
          </button>
        </p>
      )}
      {adds && (
        <FormDialog
          session={session}
          title={text.addTitle}
          submitLabel={text.create}
          fields={[
            { name: 'name', label: text.name, required: true },
            {
              ...{ name: 'type', label: text.type, kind: 'choice', value: 'face' },
              choices: [
                ['face', text.face],
                ['landmark', text.landmark],
              ],
            },
            { name: 'description', label: text.description, kind: 'lines', maxLength: 10_000 },
          ]}
          submit={async ({ name = '', type, description = '' }) => {
            const made = await datasets.add({ name, type: type === 'landmark' ? 'landmark' : 'face', description });
            route.go(datasetAddress(made.id));
          }}
          onClose={() => setAdds(false)}
        />
      )}
    </div>
  );
}

function DatasetTable({ datasets }: { datasets: readonly Dataset[] }) {
  const text = useMessages(datasetsText);
  return (
    <table class="list rows-list">
      <TableHead names={[text.name, text.type, text.classesTitle, text.evaluated, text.quality]} />
      <tbody>
        {datasets.map((dataset) => (
          <tr key={dataset.id}>
            <th scope="row">
              <a href={datasetAddress(dataset.id)}>{dataset.name}</a>
              {dataset.description !== '' && <small>{dataset.description}</small>}
            </th>
            <td>{text[dataset.type]}</td>
            <td>
              {text.classes(dataset.number_of_classes)}, {text.images(dataset.number_of_images)}
            </td>
            <td>{dataset.number_of_images === 0 ? '' : percent(dataset.evaluation_state)}</td>
            <td>{qualityOf(dataset, text)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function qualityOf({ issues }: Dataset, text: ReturnType<typeof datasetsText.get>): string {
  return issues.has_error ? text.error : issues.has_warning ? text.warning : '';
}

export function percent(part: number): string {
  return new Intl.NumberFormat(language.get(), { style: 'percent', maximumFractionDigits: 1 }).format(part);
}
