import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { useMessages } from '../../messages/i18n.js';
import { datasetsText } from '../../messages/datasets.en.js';
import { galleriesText } from '../../messages/galleries.en.js';
import { galleryAddress, galleryPersonAddress } from '../../model/datasets.js';
import { DatasetDetail } from '../../state/datasets/dataset-detail.js';
import { Galleries } from '../../state/datasets/galleries.js';
import type { Route } from '../../state/route.js';
import { ActButton } from '../act-button.js';
import { ClassCard } from '../datasets/class-list.js';
import type { DatasetPageProps } from '../datasets/page-props.js';
import { faultMessage } from '../fault-text.js';
import { FormDialog } from '../forms/form-dialog.js';
import { PeopleSections } from '../people/people-sections.js';
import { useTyped } from '../forms/typed.js';

interface GalleriesPageProps extends DatasetPageProps {
  /** Empty: the first one. */
  datasetId: string;
  search: string;
}

/** The people whom datasets teach. */
export function GalleriesPage({ datasetId, search, ...around }: GalleriesPageProps) {
  const { session, route } = around;
  const text = useMessages(galleriesText);
  const galleries = useMemo(() => new Galleries(session), [session]);
  useObserved(galleries);
  useEffect(() => void (document.title = `${text.title} · Adit`), [text]);
  useEffect(() => void galleries.read(), [galleries]);
  const { datasets, fault } = galleries;
  const shown = datasetId === '' ? (datasets?.[0]?.id ?? '') : datasetId;
  return (
    <div class="page people galleries">
      <PeopleSections page="galleries" />
      {fault !== null && (
        <p class="fault" role="alert">
          {faultMessage(fault)}
        </p>
      )}
      {datasets?.length === 0 && (
        <>
          <h1>{text.title}</h1>
          <div class="empty">
            <p>{text.none}</p>
            <p class="soft">{text.noneHint}</p>
            <a href="#/datasets">{text.toDatasets}</a>
          </div>
        </>
      )}
      {shown !== '' && (
        <Gallery key={shown} {...around} datasetId={shown} search={search}>
          {datasets !== null && datasets.length > 1 && (
            <select
              aria-label={text.dataset}
              value={shown}
              onChange={({ currentTarget }) => route.go(galleryAddress(currentTarget.value))}
            >
              {datasets.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Gallery>
      )}
    </div>
  );
}

interface GalleryProps extends GalleriesPageProps {
  children: ComponentChildren;
}

/** The people of one gallery. */
function Gallery({ session, route, notices, pictures, datasetId, search, children }: GalleryProps) {
  const text = useMessages(galleriesText);
  const datasets = useMessages(datasetsText);
  const detail = useMemo(() => new DatasetDetail(session, datasetId), [session, datasetId]);
  useObserved(detail);
  useEffect(() => void detail.open(search), [detail, search]);
  const [adds, setAdds] = useState(false);
  const { classes, total, hasMore, loading, fault } = detail;
  return (
    <>
      <header class="heading">
        <h1>{text.title}</h1>
        <span class="soft count">{text.count(total)}</span>
        <span class="filters">
          <SearchField key={datasetId} {...{ route, datasetId, search }} />
          {children}
          <ActButton {...{ session, notices, label: text.add, act: () => setAdds(true) }} />
        </span>
      </header>
      {fault !== null && (
        <p class="fault" role="alert">
          {faultMessage(fault)}
        </p>
      )}
      {!loading && fault === null && classes.length === 0 && (
        <p class="empty">{search === '' ? text.nobody : text.noMatch}</p>
      )}
      <ul class="persons">
        {classes.map((one) => (
          <ClassCard key={one.id} {...{ one, pictures, datasetId, address: galleryPersonAddress(datasetId, one.id) }} />
        ))}
      </ul>
      {hasMore && (
        <p class="center">
          <button type="button" disabled={loading} onClick={() => void detail.more()}>
            {datasets.more}
          </button>
        </p>
      )}
      {adds && (
        <FormDialog
          {...{ session, title: text.addTitle, submitLabel: text.create, onClose: () => setAdds(false) }}
          fields={[{ name: 'label', label: text.name, hint: text.hint, required: true }]}
          submit={async ({ label = '' }) => {
            const made = await detail.addClass(label);
            route.go(galleryPersonAddress(datasetId, made.id));
          }}
        />
      )}
    </>
  );
}

/** What is typed leads to the address; another address changes what stands there. */
function SearchField({ route, datasetId, search }: { route: Route; datasetId: string; search: string }) {
  const text = useMessages(galleriesText);
  const typed = useTyped({
    ...{ value: search, list: datasetId },
    lead: () => route.replace(galleryAddress(datasetId, typed.take())),
  });
  return (
    <input
      type="search"
      aria-label={text.search}
      placeholder={text.search}
      maxLength={255}
      value={typed.text}
      onInput={({ currentTarget }) => typed.type(currentTarget.value)}
    />
  );
}
