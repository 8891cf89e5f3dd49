import { useEffect, useState } from 'preact/hooks';
import { keyOf, type PicturePlace, type Pictures } from '../state/pictures.js';

interface SmallPictureProps {
  pictures: Pictures;
  place: PicturePlace;
  /** Said where it is not decoration. */
  alt?: string;
  /** Told that there is no picture. */
  onNone?: () => void;
}

/** The small picture of an image or a file, as soon as it is there. */
export function SmallPicture({ pictures, place, alt = '', onNone }: SmallPictureProps) {
  const [address, setAddress] = useState(pictures.known(place));
  useEffect(() => {
    const ends = new AbortController();
    void pictures.load(place, ends.signal).then((found) => {
      if (ends.signal.aborted) return;
      setAddress(found);
      if (found === null) onNone?.();
    });
    return () => ends.abort();
  }, [keyOf(place)]);
  return address === null ? <span class="blank" /> : <img src={address} alt={alt} draggable={false} />;
}
