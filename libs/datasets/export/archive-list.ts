import { isoTimeOrNull } from '@adit/contracts';
import type { DatasetClassEntity, DatasetImageEntity } from '@adit/database';

/** A picture as it stands in an archive. */
export interface ArchivedImage {
  path: string;
  row: DatasetImageEntity;
  /** Displayed pixels; null where nobody asks. */
  size: { width: number; height: number } | null;
}

/** The list at the root of an archive, written while its pictures are. */
export interface ArchiveList {
  readonly file: string;
  readonly needsSizes: boolean;
  class(row: DatasetClassEntity): void;
  image(image: ArchivedImage): void;
  missing(image: DatasetImageEntity): void;
  text(): string;
}

/** What both lists say of a class. */
export function classFields(row: DatasetClassEntity) {
  const { reference, label, active, notes, level, customFields } = row;
  const expiration = isoTimeOrNull(row.expirationDate);
  return { reference, label, active, notes, expiration_date: expiration, level, custom_fields: customFields };
}
