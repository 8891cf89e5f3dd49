import type { DatasetClass } from '@adit/client';
import { useEffect, useState } from 'preact/hooks';
import { useMessages } from '../../messages/i18n.js';
import { datasetsText } from '../../messages/datasets.en.js';
import { classAddress } from '../../model/datasets.js';
import type { DatasetDetail } from '../../state/datasets/dataset-detail.js';
import type { Pictures } from '../../state/pictures.js';
import { ActButton } from '../act-button.js';
import { FormDialog } from '../forms/form-dialog.js';
import type { DatasetPageProps } from './page-props.js';
import { SmallPicture } from '../small-picture.js';

/** After the last letter, before the service is asked. */
const TYPING_MS = 300;

interface ClassListProps extends DatasetPageProps {
  detail: DatasetDetail;
}

/** The classes of a dataset, with the first image of each. */
export function ClassList({ session, route, notices, pictures, detail }: ClassListProps) {
  const text = useMessages(datasetsText);
  const [adds, setAdds] = useState(false);
  const [search, setSearch] = useState<string | null>(null);
  useEffect(() => {
    if (search === null) return undefined;
    const timer = setTimeout(() => void detail.open(search.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [search]);
  const { classes, total, hasMore, loading } = detail;
  const isFiltered = search !== null && search.trim() !== '';
  return (
    <section class="classes" aria-label={text.classesTitle}>
      <header class="heading">
        <h2>{text.classesTitle}</h2>
        <span class="soft">{text.classes(total)}</span>
        <span class="filters">
          <input
            type="search"
            aria-label={text.findClass}
            placeholder={text.findClass}
            maxLength={255}
            value={search ?? ''}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
          <ActButton {...{ session, notices, label: text.addClass, act: () => setAdds(true) }} />
        </span>
      </header>
      {!loading && classes.length === 0 && <p class="empty">{isFiltered ? text.noClassMatch : text.noClass}</p>}
      <ul class="persons">
        {classes.map((one) => (
          <ClassCard
            key={one.id}
            {...{ one, pictures, datasetId: detail.datasetId }}
            address={classAddress(detail.datasetId, one.id)}
          />
        ))}
      </ul>
      {hasMore && (
        <p class="center">
          <button type="button" disabled={loading} onClick={() => void detail.more()}>
            {text.more}
          </button>
        </p>
      )}
      {adds && (
        <FormDialog
          {...{ session, title: text.addClassTitle, submitLabel: text.create, onClose: () => setAdds(false) }}
          fields={[{ name: 'label', label: text.name, required: true }]}
          submit={async ({ label = '' }) => {
            const made = await detail.addClass(label);
            route.go(classAddress(detail.datasetId, made.id));
          }}
        />
      )}
    </section>
  );
}

interface ClassCardProps {
  one: DatasetClass;
  datasetId: string;
  address: string;
  pictures: Pictures;
}

/** A class by its first image and its name. */
export function ClassCard({ one, datasetId, address, pictures }: ClassCardProps) {
  const text = useMessages(datasetsText);
  const { id: classId, label, preview_image: preview, number_of_images: count, active, expiration_date: end } = one;
  const state = !active ? text.inactive : end !== null && Date.parse(end) <= Date.now() ? text.expired : '';
  return (
    <li class="person">
      <a href={address} aria-label={label} class="face">
        {preview === null ? (
          <span class="blank" />
        ) : (
          <SmallPicture pictures={pictures} place={{ datasetId, classId, imageId: preview.id }} />
        )}
      </a>
      <p class="called">
        {label}
        <small>
          {text.images(count)}
          {state !== '' && `, ${state}`}
        </small>
      </p>
    </li>
  );
}
