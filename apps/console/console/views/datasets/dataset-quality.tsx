import type { Dataset, DatasetClass, DatasetIssue } from '@adit/client';
import { useMessages } from '../../messages/i18n.js';
import { datasetsText, imagesText } from '../../messages/datasets.en.js';
import { classAddress, FINDINGS, type ImageShow } from '../../model/datasets.js';
import type { Pictures } from '../../state/pictures.js';
import { percent } from './datasets.js';
import { SmallPicture } from '../small-picture.js';

interface DatasetQualityProps {
  dataset: Dataset;
  classes: readonly DatasetClass[];
  pictures: Pictures;
}

/** What the evaluation found: how far it is, and each fault with images to look at. */
export function DatasetQuality({ dataset, classes, pictures }: DatasetQualityProps) {
  const text = useMessages(datasetsText);
  const { evaluation_state: part, number_of_images: images, issues } = dataset;
  return (
    <section class="part quality" aria-label={text.quality}>
      <h2>{text.quality}</h2>
      {images === 0 ? (
        <p class="soft">{text.notEvaluated}</p>
      ) : (
        <p role="status">
          {text.evaluatedPart({ part: percent(part) })}
          {part < 1 && <progress max={1} value={part} aria-label={text.evaluated} />}
        </p>
      )}
      {images > 0 && part === 1 && issues.reasons.length === 0 && <p>{text.good}</p>}
      <ul class="issues">
        {issues.reasons.map((issue) => (
          <Issue key={`${issue.level} ${issue.code}`} {...{ issue, dataset, classes, pictures }} />
        ))}
      </ul>
    </section>
  );
}

function Issue({ issue, dataset, classes, pictures }: DatasetQualityProps & { issue: DatasetIssue }) {
  const text = useMessages(datasetsText);
  const found: Record<string, unknown> = useMessages(imagesText);
  const { level, code, message, number_of_images: count, images } = issue;
  const own = Object.hasOwn(found, code) ? found[code] : undefined;
  return (
    <li>
      <p>
        <b class={level}>{text[level]}</b> {typeof own === 'string' && `${own}: `}
        {message}
        {count > 0 && <small> {text.images(count)}</small>}
      </p>
      {images.length > 0 && (
        <ul class="looked">
          {images.map(({ class_id: classId, image_id: imageId }) => (
            <li key={imageId}>
              <a
                href={classAddress(dataset.id, classId, showOf(code))}
                aria-label={text.lookAt({ name: classes.find(({ id }) => id === classId)?.label ?? dataset.name })}
              >
                <SmallPicture pictures={pictures} place={{ datasetId: dataset.id, classId, imageId }} />
              </a>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** The images of a class that an issue is about. */
function showOf(code: string): ImageShow {
  return FINDINGS.find((finding) => finding === code) ?? 'all';
}
