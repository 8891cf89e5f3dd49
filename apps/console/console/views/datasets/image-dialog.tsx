import { useLayoutEffect, useState } from 'preact/hooks';
import { Dialog } from '../../../shared/dialog.js';
import { shellText } from '../../messages/en.js';
import { language, useMessages } from '../../messages/i18n.js';
import { imagesText } from '../../messages/datasets.en.js';
import { dateText } from '../../model/time.js';
import type { ClassImages } from '../../state/datasets/class-images.js';
import type { Pictures } from '../../state/pictures.js';
import { SmallPicture } from '../small-picture.js';

interface ImageDialogProps {
  images: ClassImages;
  pictures: Pictures;
  /** Place in the list. */
  at: number;
  go: (at: number) => void;
  onClose: () => void;
}

/** One image, and what was found in it. */
export function ImageDialog({ images, pictures, at, go, onClose }: ImageDialogProps) {
  const text = useMessages(imagesText);
  const shell = useMessages(shellText);
  const [missing, setMissing] = useState<string | null>(null);
  // Wherever the focus is: that of the dialog begins on its button to close. A key that is pressed at once counts.
  useLayoutEffect(() => {
    const turn = ({ key }: KeyboardEvent): void => {
      const to = key === 'ArrowLeft' ? at - 1 : key === 'ArrowRight' ? at + 1 : null;
      if (to !== null && images.images[to] !== undefined) go(to);
    };
    document.addEventListener('keydown', turn);
    return () => document.removeEventListener('keydown', turn);
  }, [images, at, go]);
  const image = images.images[at];
  if (image === undefined) return null;
  const { face_clustering: finding, face_attributes: face } = image.evaluation_result;
  const yaw = face?.yaw ?? null;
  const facts: [string, string][] = [
    [text.finding, finding === undefined ? '' : text[finding]],
    [text.pose, yaw === null ? '' : text.degrees({ yaw: Math.round(yaw), pitch: Math.round(face?.pitch ?? 0) })],
    [text.added_at, dateText(Date.parse(image.time_created), language.get())],
    [text.notes, image.notes],
    [
      text.which,
      [image.active ? '' : text.inactive, image.is_auto_generated ? text.byJob : ''].filter(Boolean).join(', '),
    ],
    ['Id', image.id],
  ];
  const button = (label: string, to: number) => (
    <button type="button" disabled={images.images[to] === undefined} onClick={() => go(to)}>
      {label}
    </button>
  );
  return (
    <Dialog title={text.imageOf({ number: at + 1 })} closeLabel={shell.close} onClose={onClose}>
      <div class="looked-at">
        {missing === image.id && <p class="soft">{text.noPicture}</p>}
        <SmallPicture
          key={image.id}
          pictures={pictures}
          place={{ ...images.place, imageId: image.id }}
          alt={text.imageOf({ number: at + 1 })}
          onNone={() => setMissing(image.id)}
        />
        <dl class="facts">
          {facts
            .filter(([, value]) => value !== '')
            .map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
        </dl>
        <footer>
          {button(text.previous, at - 1)}
          {button(text.next, at + 1)}
        </footer>
      </div>
    </Dialog>
  );
}
