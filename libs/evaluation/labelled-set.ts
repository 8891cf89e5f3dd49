import { AditError } from '@adit/contracts';

/** A box in pixels of its list's picture size, or of the displayed picture without one. */
export interface LabelledBox {
  label: string;
  /** Left, top, width, height. */
  bbox: readonly [number, number, number, number];
  isCrowd: boolean;
}

export interface LabelledPicture {
  /** Display name. */
  name: string;
  /** A file of this machine, or an address for the service. */
  place: { path: string } | { uri: string };
  /** Labels of the whole picture; of boxes, each label once. */
  labels: string[];
  /** Null where none were drawn. */
  boxes: LabelledBox[] | null;
  size: { width: number; height: number } | null;
}

export interface LabelledSet {
  /** Description for people. */
  title: string;
  pictures: LabelledPicture[];
  /** Labels of the set, including those without a picture. */
  labels: string[];
  /** Pictures that are listed but missing. */
  missing: string[];
}

/** Each picture is a request of its own. */
export const MAX_PICTURES = 10_000;

/** Throws VALIDATION for a set without anything to measure, and TOO_LARGE. */
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
