import { AditApiError, type Dataset } from '@adit/client';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { useMessages } from '../../messages/i18n.js';
import { datasetsText } from '../../messages/datasets.en.js';
import { DatasetDetail } from '../../state/datasets/dataset-detail.js';
import { ActButton, attempt } from '../act-button.js';
import { ConfirmDialog } from '../forms/confirm-dialog.js';
import { faultMessage } from '../fault-text.js';
import { FormDialog } from '../forms/form-dialog.js';
import { TrainDialog } from './train-dialog.js';
import { ClassList } from './class-list.js';
import { DatasetFiles } from './dataset-files.js';
import { DatasetQuality } from './dataset-quality.js';
import type { DatasetPageProps } from './page-props.js';

/** A dataset: how good it is, its classes, and what can be made of it. */
export function DatasetPage({ datasetId, ...around }: DatasetPageProps & { datasetId: string }) {
  const { session, route, notices, pictures } = around;
  const text = useMessages(datasetsText);
  const detail = useMemo(() => new DatasetDetail(session, datasetId), [session, datasetId]);
  useObserved(detail);
  useEffect(() => {
    const ends = new AbortController();
    void detail.follow(ends.signal);
    return () => ends.abort();
  }, [detail]);
  const { dataset, fault } = detail;
  const name = dataset?.name ?? '';
  useEffect(() => void (document.title = name === '' ? 'Adit' : `${name} · Adit`), [name]);
  return (
    <div class="page one-dataset">
      <nav class="back" aria-label={text.allDatasets}>
        <a href="#/datasets">← {text.allDatasets}</a>
      </nav>
      {fault !== null && (
        <p class="fault" role="alert">
          {fault instanceof AditApiError && fault.status === 404 ? text.notFound : faultMessage(fault)}
        </p>
      )}
      {dataset === null && fault === null && <p class="soft">{text.loading}</p>}
      {dataset !== null && (
        <>
          <DatasetHead {...{ ...around, detail, dataset }} />
          <div class="parts">
            <DatasetQuality {...{ dataset, pictures }} classes={detail.classes} />
            <DatasetFiles {...{ session, notices, detail }} />
          </div>
          <ClassList {...{ session, route, notices, pictures, detail }} />
        </>
      )}
    </div>
  );
}

interface DatasetHeadProps extends DatasetPageProps {
  detail: DatasetDetail;
  dataset: Dataset;
}

function DatasetHead({ session, route, notices, detail, dataset }: DatasetHeadProps) {
  const text = useMessages(datasetsText);
  const [dialog, setDialog] = useState<'train' | 'edit' | 'remove' | null>(null);
  const close = (): void => setDialog(null);
  const same = { session, notices };
  return (
    <header class="heading">
      <h1>{dataset.name}</h1>
      <span class="soft">
        {text[dataset.type]} · {text.active({ active: dataset.number_of_active_images, all: dataset.number_of_images })}
      </span>
      <span class="actions">
        <ActButton {...same} label={text.train} kind="primary" act={() => setDialog('train')} />
        <ActButton {...same} label={text.edit} act={() => setDialog('edit')} />
        <ActButton {...same} label={text.remove} kind="danger" act={() => setDialog('remove')} />
      </span>
      {dataset.description !== '' && <p class="soft why">{dataset.description}</p>}
      {dialog === 'train' && <TrainDialog {...{ session, route, notices, dataset }} onClose={close} />}
      {dialog === 'edit' && (
        <FormDialog
          {...{ session, title: text.edit, submitLabel: text.save, onClose: close }}
          fields={[
            { name: 'name', label: text.name, value: dataset.name, required: true },
            {
              ...{ name: 'description', label: text.description, value: dataset.description },
              ...{ kind: 'lines', maxLength: 10_000 },
            },
          ]}
          submit={async ({ name = '', description = '' }) => {
            await detail.describe({ name, description });
            notices.say(text.saved);
          }}
        />
      )}
      {dialog === 'remove' && (
        <ConfirmDialog
          {...{ title: text.removeTitle({ name: dataset.name }), text: text.removeText, onClose: close }}
          submitLabel={text.removeSubmit}
          act={() =>
            void attempt(same, async () => {
              await detail.remove();
              notices.say(text.removed({ name: dataset.name }));
              route.go('#/datasets');
            })
          }
        />
      )}
    </header>
  );
}
