import { useEffect, useState } from 'preact/hooks';
import type { ImagePlace, Pictures } from '../../state/datasets/pictures.js';

interface SmallPictureProps {
  pictures: Pictures;
  place: ImagePlace;
  /** Said where it is not decoration. */
  alt?: string;
  /** Told that there is no picture. */
  onNone?: () => void;
}

/** The small picture of an image, as soon as it is there. */
export function SmallPicture({ pictures, place, alt = '', onNone }: SmallPictureProps) {
  const { imageId } = place;
  const [address, setAddress] = useState(pictures.known(imageId));
  useEffect(() => {
    const ends = new AbortController();
    void pictures.load(place, ends.signal).then((found) => {
      if (ends.signal.aborted) return;
      setAddress(found);
      if (found === null) onNone?.();
    });
    return () => ends.abort();
  }, [imageId]);
  return address === null ? <span class="blank" /> : <img src={address} alt={alt} draggable={false} />;
}
