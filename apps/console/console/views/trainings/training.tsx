import { AditApiError, type DatasetClass, type Training } from '@adit/client';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { language, useMessages } from '../../messages/i18n.js';
import { datasetsText, trainingsText } from '../../messages/datasets.en.js';
import { useModelText } from '../../messages/use-model.en.js';
import { datasetAddress } from '../../model/datasets.js';
import { dateText } from '../../model/time.js';
import { hasEnded, removeTraining, Trainings } from '../../state/datasets/trainings.js';
import { modelAddress } from '../../state/route.js';
import { ActButton, attempt } from '../act-button.js';
import { ConfirmDialog } from '../forms/confirm-dialog.js';
import type { DatasetPageProps } from '../datasets/page-props.js';
import { faultMessage } from '../fault-text.js';
import { TrainingFigures } from './training-figures.js';
import { TrainingState } from './trainings.js';
import { UseModelDialog } from '../use-model-dialog.js';

/** A training: how far it is, and what came of it. */
export function TrainingPage({ trainingId, ...around }: DatasetPageProps & { trainingId: string }) {
  const { session, pictures } = around;
  const text = useMessages(trainingsText);
  const datasets = useMessages(datasetsText);
  const followed = useMemo(() => new Trainings(session, trainingId), [session, trainingId]);
  useObserved(followed);
  useEffect(() => {
    const ends = new AbortController();
    void followed.follow(ends.signal);
    return () => ends.abort();
  }, [followed]);
  const { fault } = followed;
  const training = followed.trainings?.[0] ?? null;
  const classes = useClasses(around, training);
  const name = training?.output_model_name ?? '';
  useEffect(() => void (document.title = name === '' ? 'Adit' : `${name} · Adit`), [name]);
  return (
    <div class="page one-training">
      <nav class="back" aria-label={text.all}>
        <a href="#/trainings">← {text.all}</a>
      </nav>
      {fault !== null && (
        <p class="fault" role="alert">
          {fault instanceof AditApiError && fault.status === 404 ? datasets.notFound : faultMessage(fault)}
        </p>
      )}
      {training === null && fault === null && <p class="soft">{datasets.loading}</p>}
      {training !== null && (
        <>
          <TrainingHead {...{ ...around, training }} />
          <div class="parts">
            <TrainingFacts training={training} />
            {training.report !== null && (
              <TrainingFigures {...{ training, report: training.report, classes, pictures }} />
            )}
          </div>
        </>
      )}
    </div>
  );
}

/** The classes of the dataset, for the names of what the report says; those of a dataset that is gone are not there. */
function useClasses({ session }: DatasetPageProps, training: Training | null): readonly DatasetClass[] {
  const [classes, setClasses] = useState<readonly DatasetClass[]>([]);
  const isReported = training?.report !== null && training?.report !== undefined;
  const datasetId = training?.source_dataset_id ?? '';
  useEffect(() => {
    if (!isReported) return;
    session.client
      .request('GET /v1/datasets/{datasetId}/classes/', { params: { datasetId } })
      .then(setClasses)
      .catch((error: unknown) => session.notice(error));
  }, [isReported, datasetId]);
  return classes;
}

/** Which analysis looks with a model of this type. */
const MODULES = { face: 'face_recognition', landmark: 'landmark_recognition' } as const;

function TrainingHead({ session, route, notices, training }: DatasetPageProps & { training: Training }) {
  const text = useMessages(trainingsText);
  const useText = useMessages(useModelText);
  const [dialog, setDialog] = useState<'remove' | 'use' | null>(null);
  const { output_model_name: name, output_model: model, id } = training;
  const ended = hasEnded(training);
  const close = (): void => setDialog(null);
  const same = { session, notices };
  return (
    <header class="heading">
      <h1>{name}</h1>
      <TrainingState training={training} />
      <span class="actions">
        {training.state === 'completed' && model !== null && (
          <ActButton {...same} label={useText.use} kind="primary" act={() => setDialog('use')} />
        )}
        <ActButton {...same} label={ended ? text.remove : text.stop} kind="danger" act={() => setDialog('remove')} />
      </span>
      {training.error !== '' && (
        <p class="fault why" role="alert">
          {training.error}
        </p>
      )}
      {dialog === 'use' && (
        <UseModelDialog {...{ session, route, name }} modules={[MODULES[training.type]]} onClose={close} />
      )}
      {dialog === 'remove' && (
        <ConfirmDialog
          title={(ended ? text.removeTitle : text.stopTitle)({ name })}
          text={ended ? text.removeText : text.stopText}
          submitLabel={ended ? text.remove : text.stop}
          onClose={close}
          act={() =>
            void attempt(same, async () => {
              await removeTraining(session, id);
              notices.say(ended ? text.removed : text.stopped);
              route.go('#/trainings');
            })
          }
        />
      )}
    </header>
  );
}

function TrainingFacts({ training }: { training: Training }) {
  const text = useMessages(trainingsText);
  const { source_dataset: dataset, output_model: model, config } = training;
  const seconds = new Intl.NumberFormat(language.get(), { style: 'unit', unit: 'second', maximumFractionDigits: 1 });
  const facts: [string, string][] = [
    [text.description, training.output_model_description],
    [text.changelog, training.output_model_changelog],
    [text.minFaceSize, String(config.min_face_size ?? '')],
    [text.sharpness, String(config.sharpness_threshold ?? '')],
    [text.created, dateText(Date.parse(training.time_created), language.get())],
    [text.duration, hasEnded(training) ? seconds.format(training.duration) : ''],
    ['Id', training.id],
  ];
  return (
    <section class="part" aria-label={text.model}>
      <h2>{text.model}</h2>
      <dl class="facts">
        <div>
          <dt>{text.dataset}</dt>
          <dd>
            <a href={datasetAddress(training.source_dataset_id)}>{dataset.name}</a>
          </dd>
        </div>
        {model !== null && (
          <div>
            <dt>{text.model}</dt>
            <dd>
              <a href={modelAddress(model.id)}>{model.name}</a>{' '}
              {text.version({ version: model.latest_version.version_number })}
            </dd>
          </div>
        )}
        {facts
          .filter(([, value]) => value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}
