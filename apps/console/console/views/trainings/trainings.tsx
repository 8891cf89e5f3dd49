import type { Training } from '@adit/client';
import { useEffect, useMemo } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { shellText } from '../../messages/en.js';
import { language, useMessages } from '../../messages/i18n.js';
import { datasetsText, trainingsText } from '../../messages/datasets.en.js';
import { trainingAddress } from '../../model/datasets.js';
import { dateText } from '../../model/time.js';
import { Trainings } from '../../state/datasets/trainings.js';
import type { DatasetPageProps } from '../datasets/page-props.js';
import { Sections } from '../datasets/sections.js';
import { faultMessage } from '../fault-text.js';
import { StateMark } from '../progress.js';
import { TableHead } from '../table-head.js';

/** All trainings of the workspace, newest first. */
export function TrainingsPage({ session }: DatasetPageProps) {
  const text = useMessages(trainingsText);
  const datasets = useMessages(datasetsText);
  const shell = useMessages(shellText);
  const trainings = useMemo(() => new Trainings(session), [session]);
  useObserved(trainings);
  useEffect(() => void (document.title = `${text.title} · Adit`), [text]);
  useEffect(() => {
    const ends = new AbortController();
    void trainings.follow(ends.signal);
    return () => ends.abort();
  }, [trainings]);
  const { trainings: all, total, hasMore, fault } = trainings;
  return (
    <div class="page trainings">
      <Sections page="trainings" />
      <header class="heading">
        <h1>{text.title}</h1>
        {all !== null && <span class="soft count">{text.count(total)}</span>}
      </header>
      {fault !== null && (
        <p class="fault" role="alert">
          {faultMessage(fault)}{' '}
          <button type="button" onClick={() => void trainings.read()}>
            {shell.tryAgain}
          </button>
        </p>
      )}
      {all === null && fault === null && <p class="soft">{datasets.loading}</p>}
      {all?.length === 0 && (
        <div class="empty">
          <p>{text.none}</p>
          <p class="soft">{text.noneHint}</p>
        </div>
      )}
      {all !== null && all.length > 0 && <TrainingTable trainings={all} />}
      {hasMore && (
        <p class="center">
          <button type="button" onClick={() => void trainings.more()}>
            {datasets.more}
          </button>
        </p>
      )}
    </div>
  );
}

function TrainingTable({ trainings }: { trainings: readonly Training[] }) {
  const text = useMessages(trainingsText);
  return (
    <table class="list rows-list">
      <TableHead names={[text.model, text.dataset, text.state, text.created]} />
      <tbody>
        {trainings.map((training) => (
          <tr key={training.id}>
            <th scope="row">
              <a href={trainingAddress(training.id)}>{training.output_model_name}</a>
              {training.output_model_changelog !== '' && <small>{training.output_model_changelog}</small>}
            </th>
            <td>{training.source_dataset.name}</td>
            <td>
              <TrainingState training={training} />
            </td>
            <td>{dateText(Date.parse(training.time_created), language.get())}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Its state in words, with how far it is while it runs. */
export function TrainingState({ training: { state, progress } }: { training: Training }) {
  const text = useMessages(trainingsText);
  return (
    <>
      <StateMark state={state} text={text[state]} />
      {state === 'processing' && <progress max={1} value={progress} aria-label={text.progress} />}
    </>
  );
}
