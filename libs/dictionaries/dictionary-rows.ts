import {
  DictionaryEntity,
  DictionaryVersionEntity,
  hangsOn,
  rowsOfWorkspace,
  type RowsOfWorkspace,
} from '@adit/database';
import type { EntityManager } from 'typeorm';

/** The file of a version. */
export interface DictionaryFile {
  digest: string;
  size: number;
  objectKey: string;
}

/** Makes a dictionary with its first version. */
export async function insertDictionary(
  manager: EntityManager,
  dictionary: Pick<DictionaryEntity, 'id' | 'workspaceId' | 'name' | 'type' | 'language' | 'detecting'>,
  { digest, size, objectKey }: DictionaryFile,
): Promise<DictionaryEntity> {
  const { id } = dictionary;
  await manager.insert(DictionaryEntity, { ...dictionary, version: 1 });
  await manager.insert(DictionaryVersionEntity, { dictionaryId: id, version: 1, digest, size, objectKey });
  return manager.findOneByOrFail(DictionaryEntity, { id });
}

/** Changes a dictionary, which the transaction has locked as it was `before`; a file becomes its next version. */
export async function changeDictionary(
  manager: EntityManager,
  before: DictionaryEntity,
  changes: Partial<DictionaryEntity>,
  file: (DictionaryFile & Pick<DictionaryEntity, 'type'>) | null,
): Promise<DictionaryEntity> {
  const { id } = before;
  const all = { ...changes };
  if (file !== null) {
    const version = before.version + 1;
    const { type, digest, size, objectKey } = file;
    Object.assign(all, { type, version });
    await manager.update(
      DictionaryVersionEntity,
      { dictionaryId: id, version: before.version },
      { timeRetired: new Date() },
    );
    await manager.insert(DictionaryVersionEntity, { dictionaryId: id, version, digest, size, objectKey });
  }
  if (Object.keys(all).length > 0) await manager.update(DictionaryEntity, { id }, all);
  return manager.findOneByOrFail(DictionaryEntity, { id });
}

/** The language of a version was found; another file or language that came meanwhile is not overwritten. */
export async function languageFound(
  manager: EntityManager,
  { id, version }: Pick<DictionaryEntity, 'id' | 'version'>,
  language: DictionaryEntity['language'],
): Promise<void> {
  await manager.update(DictionaryEntity, { id, version, detecting: true }, { language, detecting: false });
}

/** Removes a dictionary. Its files go with the last job that refers to them. */
export async function deleteDictionary(manager: EntityManager, id: string): Promise<void> {
  await manager.delete(DictionaryEntity, { id });
  await manager.update(DictionaryVersionEntity, { dictionaryId: id }, { timeRetired: new Date() });
}

/** Makes a version of a dictionary that comes with Adit; false when it is there. Of processes that start together one writes it. */
export async function installDictionary(
  manager: EntityManager,
  { id, name, type, language }: Pick<DictionaryEntity, 'id' | 'name' | 'type' | 'language'>,
  file: DictionaryFile,
): Promise<boolean> {
  await manager
    .createQueryBuilder()
    .insert()
    .into(DictionaryEntity)
    .values({ id, workspaceId: null, name, type, language, version: 0 })
    .orIgnore()
    .execute();
  const before = await manager.findOneOrFail(DictionaryEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
  if (await manager.existsBy(DictionaryVersionEntity, { dictionaryId: id, digest: file.digest })) return false;
  const version = before.version + 1;
  await manager.update(
    DictionaryVersionEntity,
    { dictionaryId: id, version: before.version },
    { timeRetired: new Date() },
  );
  await manager.insert(DictionaryVersionEntity, { dictionaryId: id, version, ...file });
  await manager.update(DictionaryEntity, { id }, { name, type, language, version });
  return true;
}

/** Rows erased with their workspace, in this order: referencing rows before referenced ones. */
export const DICTIONARY_ROWS: readonly RowsOfWorkspace[] = [
  rowsOfWorkspace('dictionary_versions', { where: hangsOn('dictionary_id', 'dictionaries') }),
  rowsOfWorkspace('dictionaries', { kind: 'dictionaries', folder: 'dictionaries/' }),
];
