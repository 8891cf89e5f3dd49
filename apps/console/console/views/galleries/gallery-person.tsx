import { AditApiError, type Erasure } from '@adit/client';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { useMessages } from '../../messages/i18n.js';
import { datasetsText, imagesText } from '../../messages/datasets.en.js';
import { galleriesText } from '../../messages/galleries.en.js';
import { peopleText } from '../../messages/people.en.js';
import { classAddress, galleryAddress, type ImageShow } from '../../model/datasets.js';
import { whoQuestion } from '../../model/people.js';
import { questionOf } from '../../model/question.js';
import { ClassImages } from '../../state/datasets/class-images.js';
import { forgetClass } from '../../state/datasets/galleries.js';
import { Search } from '../../state/search.js';
import { ActButton, attempt } from '../act-button.js';
import { ClassImagesPart } from '../datasets/class-images-part.js';
import { useFollowed } from '../datasets/class.js';
import type { DatasetPageProps } from '../datasets/page-props.js';
import { SmallPicture } from '../small-picture.js';
import { faultMessage } from '../fault-text.js';
import { FormDialog } from '../forms/form-dialog.js';
import { ForgetDialog, ReceiptDialog } from '../people/forget-dialogs.js';
import { PersonMoments } from '../people/person-moments.js';

interface GalleryPersonPageProps extends DatasetPageProps {
  datasetId: string;
  classId: string;
}

/** A person of a gallery: photos, and where they appear. */
export function GalleryPersonPage({ datasetId, classId, ...around }: GalleryPersonPageProps) {
  const { session, route } = around;
  const text = useMessages(galleriesText);
  const datasets = useMessages(datasetsText);
  const images = useMemo(() => new ClassImages(session, { datasetId, classId }), [session, datasetId, classId]);
  const moments = useMemo(() => new Search(session), [session]);
  useObserved(images);
  const [show, setShow] = useState<ImageShow>('all');
  const [receipt, setReceipt] = useState<Erasure | null>(null);
  useFollowed(images, show);
  const { of, fault } = images;
  const label = of?.label ?? '';
  useEffect(() => void (document.title = label === '' ? 'Adit' : `${label} · Adit`), [label]);
  useEffect(() => {
    if (label !== '') void moments.ask(questionOf(new URLSearchParams({ q: whoQuestion(label) })));
  }, [label]);
  const list = galleryAddress(datasetId);
  return (
    <div class="page one-person">
      <nav class="back" aria-label={text.back}>
        <a href={list}>← {text.back}</a>
      </nav>
      {of === null && fault !== null && (
        <p class="fault" role="alert">
          {fault instanceof AditApiError && fault.status === 404 ? text.notFound : faultMessage(fault)}
        </p>
      )}
      {of === null && fault === null && <p class="soft">{datasets.loading}</p>}
      {of !== null && (
        <>
          <PersonHead {...{ ...around, images, setReceipt }} />
          <ClassImagesPart key={show} {...{ ...around, images, show, showOnly: setShow }} />
          <PersonMoments person={of} session={session} moments={moments} />
        </>
      )}
      {receipt !== null && <ReceiptDialog {...{ session, receipt }} onClose={() => route.go(list)} />}
    </div>
  );
}

interface PersonHeadProps extends DatasetPageProps {
  images: ClassImages;
  setReceipt: (receipt: Erasure) => void;
}

function PersonHead({ session, notices, pictures, images, setReceipt }: PersonHeadProps) {
  const text = useMessages(galleriesText);
  const datasets = useMessages(datasetsText);
  const imageWords = useMessages(imagesText);
  const people = useMessages(peopleText);
  const [dialog, setDialog] = useState<'rename' | 'forget' | null>(null);
  const close = (): void => setDialog(null);
  const { of, place } = images;
  if (of === null) return null;
  const { label, preview_image: preview } = of;
  const same = { session, notices };
  return (
    <header class="person-head">
      {preview !== null && (
        <span class="face">
          <SmallPicture key={preview.id} pictures={pictures} place={{ ...place, imageId: preview.id }} />
        </span>
      )}
      <div>
        <h1>{label}</h1>
        <p class="soft">
          {datasets.images(of.number_of_images)} ·{' '}
          <a href={classAddress(place.datasetId, place.classId)}>{text.openDataset}</a>
        </p>
        <p class="soft">{text.hint}</p>
        <div class="actions">
          <ActButton {...same} label={imageWords.rename} act={() => setDialog('rename')} />
          <ActButton {...same} label={people.forget} kind="danger" act={() => setDialog('forget')} />
        </div>
      </div>
      {dialog === 'rename' && (
        <FormDialog
          {...{ session, title: imageWords.rename, submitLabel: datasets.save, onClose: close }}
          fields={[{ name: 'label', label: text.name, value: label, required: true }]}
          submit={({ label: wanted = '' }) => images.rename(wanted)}
        />
      )}
      {dialog === 'forget' && (
        <ForgetDialog
          name={label}
          onClose={close}
          onForget={() => void attempt(same, async () => setReceipt(await forgetClass(session, place)))}
        />
      )}
    </header>
  );
}
