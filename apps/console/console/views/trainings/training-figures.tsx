import type { DatasetClass, Training, TrainingReport } from '@adit/client';
import { language, useMessages } from '../../messages/i18n.js';
import { imagesText, trainingsText } from '../../messages/datasets.en.js';
import { classAddress } from '../../model/datasets.js';
import type { Pictures } from '../../state/pictures.js';
import { percent } from '../datasets/datasets.js';
import { SmallPicture } from '../small-picture.js';

/** Images that were left out, of those that are shown. */
const SHOWN = 30;

interface TrainingFiguresProps {
  training: Training;
  report: TrainingReport;
  classes: readonly DatasetClass[];
  pictures: Pictures;
}

/** What a trial on photos held out gave, which classes are alike, and which images were left out. */
export function TrainingFigures({ training, report, classes, pictures }: TrainingFiguresProps) {
  const text = useMessages(trainingsText);
  const found: Record<string, unknown> = { ...useMessages(imagesText), ...text };
  const { closest_pairs: pairs = [], left_out: leftOut, unseen, unseen_named: strangers } = report;
  const labelOf = (id: string): string => classes.find((one) => one.id === id)?.label ?? id.slice(0, 8);
  const number = new Intl.NumberFormat(language.get(), { maximumFractionDigits: 3 });
  const share = (some: number, all: number): string =>
    all === 0 ? '' : text.share({ some, all, part: percent(some / all) });
  const facts: [string, string][] = [
    [text.trainedOn, text.ofClasses({ images: report.number_of_images, classes: report.number_of_classes })],
    [text.threshold, number.format(report.threshold)],
    [text.named, share(report.named_right, report.held_out)],
    [text.namedWrong, share(report.named_wrong, report.held_out)],
    [text.unseen, share(strangers ?? 0, unseen ?? 0)],
  ];
  return (
    <section class="part" aria-label={text.figures}>
      <h2>{text.figures}</h2>
      <dl class="facts wide">
        {facts
          .filter(([, value]) => value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      {pairs.length > 0 && (
        <>
          <h3>{text.closest}</h3>
          <ul>
            {pairs.map(({ class_id: one, other_class_id: other, distance, confused }) => (
              <li key={`${one} ${other}`}>
                {text.closestPair({
                  ...{ one: labelOf(one), other: labelOf(other), distance: number.format(distance), confused },
                })}
              </li>
            ))}
          </ul>
        </>
      )}
      {report.number_left_out > 0 && (
        <>
          <h3>{text.leftOut(report.number_left_out)}</h3>
          <ul class="looked">
            {leftOut.slice(0, SHOWN).map(({ class_id: classId, image_id: imageId, reason }) => {
              const why = Object.hasOwn(found, reason) ? String(found[reason]) : reason.replaceAll('_', ' ');
              const datasetId = training.source_dataset_id;
              return (
                <li key={imageId}>
                  <a href={classAddress(datasetId, classId)} title={`${labelOf(classId)}: ${why}`}>
                    <SmallPicture pictures={pictures} place={{ datasetId, classId, imageId }} />
                    <small>
                      {labelOf(classId)}: {why}
                    </small>
                  </a>
                </li>
              );
            })}
          </ul>
        </>
      )}
    </section>
  );
}
