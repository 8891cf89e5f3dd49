import { AditApiError } from '@adit/client';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { useMessages } from '../../messages/i18n.js';
import { datasetsText, imagesText } from '../../messages/datasets.en.js';
import { classAddress, datasetAddress, type ImageShow } from '../../model/datasets.js';
import { ClassImages } from '../../state/datasets/class-images.js';
import { ActButton, attempt } from '../act-button.js';
import { ConfirmDialog } from '../forms/confirm-dialog.js';
import { faultMessage } from '../fault-text.js';
import { FormDialog } from '../forms/form-dialog.js';
import { ClassImagesPart } from './class-images-part.js';
import type { DatasetPageProps } from './page-props.js';

interface ClassPageProps extends DatasetPageProps {
  datasetId: string;
  classId: string;
  show: ImageShow;
}

/** One class of a dataset with all its images. */
export function ClassPage({ datasetId, classId, show, ...around }: ClassPageProps) {
  const { session, route } = around;
  const text = useMessages(datasetsText);
  const images = useMemo(() => new ClassImages(session, { datasetId, classId }), [session, datasetId, classId]);
  useObserved(images);
  useFollowed(images, show);
  const { of, fault } = images;
  const name = of?.label ?? '';
  useEffect(() => void (document.title = name === '' ? 'Adit' : `${name} · Adit`), [name]);
  return (
    <div class="page one-class">
      <nav class="back" aria-label={text.classesTitle}>
        <a href={datasetAddress(datasetId)}>← {text.classesTitle}</a>
      </nav>
      {of === null && fault !== null && (
        <p class="fault" role="alert">
          {fault instanceof AditApiError && fault.status === 404 ? text.notFound : faultMessage(fault)}
        </p>
      )}
      {of === null && fault === null && <p class="soft">{text.loading}</p>}
      {of !== null && (
        <>
          <ClassHead {...{ ...around, images }} />
          <ClassImagesPart
            key={show}
            {...{ ...around, images, show }}
            showOnly={(shown) => route.replace(classAddress(datasetId, classId, shown))}
          />
        </>
      )}
    </div>
  );
}

/** Reads the images, and again what changes. */
export function useFollowed(images: ClassImages, show: ImageShow): void {
  useEffect(() => {
    const ends = new AbortController();
    void images.follow(ends.signal);
    return () => ends.abort();
  }, [images]);
  useEffect(() => void images.open(show), [images, show]);
}

function ClassHead({ session, route, notices, images }: DatasetPageProps & { images: ClassImages }) {
  const text = useMessages(imagesText);
  const datasets = useMessages(datasetsText);
  const [dialog, setDialog] = useState<'rename' | 'remove' | null>(null);
  const close = (): void => setDialog(null);
  const { of } = images;
  if (of === null) return null;
  const { label, active } = of;
  const same = { session, notices };
  return (
    <header class="heading">
      <h1>{label}</h1>
      <span class="soft">
        {datasets.images(of.number_of_images)}
        {!active && `, ${datasets.inactive}`}
      </span>
      <span class="actions">
        <ActButton {...same} label={text.rename} act={() => setDialog('rename')} />
        <ActButton
          {...same}
          label={active ? text.deactivateClass : text.activateClass}
          act={() =>
            void attempt(same, async () => {
              await images.setActive(!active);
              notices.say(active ? text.wasDeactivated : text.wasActivated);
            })
          }
        />
        <ActButton {...same} label={text.removeClass} kind="danger" act={() => setDialog('remove')} />
      </span>
      {dialog === 'rename' && (
        <FormDialog
          {...{ session, title: text.rename, submitLabel: datasets.save, onClose: close }}
          fields={[{ name: 'label', label: text.label, value: label, required: true }]}
          submit={({ label: wanted = '' }) => images.rename(wanted)}
        />
      )}
      {dialog === 'remove' && (
        <ConfirmDialog
          {...{ title: datasets.removeTitle({ name: label }), text: datasets.removeText, onClose: close }}
          submitLabel={datasets.removeSubmit}
          act={() =>
            void attempt(same, async () => {
              await images.removeClass();
              notices.say(datasets.removed({ name: label }));
              route.go(datasetAddress(images.place.datasetId));
            })
          }
        />
      )}
    </header>
  );
}
