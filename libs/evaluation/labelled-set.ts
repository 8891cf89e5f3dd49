import { AditError } from '@adit/contracts';

/** A box in pixels of the size that its list gives, or of the picture as it is displayed where it gives none. */
export interface LabelledBox {
  label: string;
  /** Left, top, width, height. */
  bbox: readonly [number, number, number, number];
  isCrowd: boolean;
}

export interface LabelledPicture {
  /** As it is shown. */
  name: string;
  /** A file of this machine, or an address that the service opens. */
  place: { path: string } | { uri: string };
  /** What it shows as a whole; of boxes, each label once. */
  labels: string[];
  /** Null where nobody drew any. */
  boxes: LabelledBox[] | null;
  size: { width: number; height: number } | null;
}

export interface LabelledSet {
  /** What it is, for a person. */
  title: string;
  pictures: LabelledPicture[];
  /** Labels that are told apart, also those that no picture has. */
  labels: string[];
  /** Pictures that are listed and not there. */
  missing: string[];
}

/** Each is asked about in a request of its own. */
export const MAX_PICTURES = 10_000;

/** Throws VALIDATION for a set that nothing can be measured with, and TOO_LARGE. */
export function checkSet(set: LabelledSet): LabelledSet {
  const { title, pictures, missing } = set;
  if (pictures.length > MAX_PICTURES) {
    throw new AditError(
      'TOO_LARGE',
      `${title} has ${pictures.length} pictures; at most ${MAX_PICTURES} are evaluated.`,
    );
  }
  if (pictures.some(({ labels }) => labels.length > 0)) return set;
  const lost =
    missing.length === 0 ? '' : ` Of those that are listed ${missing.length} are missing, such as ${missing[0]}.`;
  throw new AditError(
    'VALIDATION',
    `${title} has no labelled picture: give a folder with a folder for each label, or one with a list in COCO's format (annotations.json).${lost}`,
  );
}
