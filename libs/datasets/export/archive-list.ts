import { isoTimeOrNull } from '@adit/contracts';
import type { DatasetClassEntity, DatasetImageEntity } from '@adit/database';

/** A picture in an archive. */
export interface ArchivedImage {
  path: string;
  row: DatasetImageEntity;
  /** Displayed pixels; null where they are not needed. */
  size: { width: number; height: number } | null;
}

/** The list at the root of an archive, written along with its pictures. */
export interface ArchiveList {
  readonly file: string;
  readonly needsSizes: boolean;
  class(row: DatasetClassEntity): void;
  image(image: ArchivedImage): void;
  missing(image: DatasetImageEntity): void;
  text(): string;
}

/** Returns the fields of a class in both lists. */
export function classFields(row: DatasetClassEntity) {
  const { reference, label, active, notes, level, customFields } = row;
  const expiration = isoTimeOrNull(row.expirationDate);
  return { reference, label, active, notes, expiration_date: expiration, level, custom_fields: customFields };
}
