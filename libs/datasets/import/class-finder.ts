import { elementAt } from '@adit/contracts';
import type { EntityManager } from 'typeorm';
import { insertClassesWithin, lockDataset } from '../classes.js';
import type { ImportedClass } from './import-item.js';

export interface FoundClass {
  id: string;
  /** Number of its images. */
  images: number;
}

interface ClassRow extends FoundClass {
  reference: string;
  label: string;
}

/** Returns an equal key for all files of one class. */
export function keyOfClass({ reference, label }: ImportedClass): string {
  return reference === null ? `label ${label}` : `reference ${reference}`;
}

/** Finds the classes of a dataset that an import needs, by reference or label, and creates missing ones. */
export class ClassFinder {
  /** Ids of classes found before. */
  private readonly known = new Map<string, string>();

  constructor(
    private readonly place: { workspaceId: string; datasetId: string },
    /** Quota of the dataset's classes. */
    private readonly most: number,
  ) {}

  /**
   * Returns each class by its key, locked until the transaction ends, and the number of created ones. The transaction
   * locks the workspace's tree, so that concurrent imports create no class twice. Throws NOT_FOUND when the dataset is
   * gone, CONFLICT beyond the quota.
   */
  async find(
    manager: EntityManager,
    wanted: readonly ImportedClass[],
  ): Promise<{ classes: Map<string, FoundClass>; made: number }> {
    await lockDataset(manager, this.place);
    // A label may belong to a class whose reference takes precedence.
    const referenced = await this.findAll(
      manager,
      wanted.filter(({ reference }) => reference !== null),
    );
    const labelled = await this.findAll(
      manager,
      wanted.filter(({ reference }) => reference === null),
    );
    const classes = new Map([...referenced.classes, ...labelled.classes]);
    return { classes, made: referenced.made + labelled.made };
  }

  private async findAll(manager: EntityManager, wanted: readonly ImportedClass[]) {
    const unique = new Map(wanted.map((one) => [keyOfClass(one), one]));
    if (unique.size === 0) return { classes: new Map<string, FoundClass>(), made: 0 };
    const classes = await this.there(manager, unique);
    const missing = [...unique].filter(([key]) => !classes.has(key));
    if (missing.length > 0) {
      // A class deleted since it was found is created again.
      for (const [key] of missing) this.known.delete(key);
      const rows = missing.map(([, { reference, ...one }]) => ({ ...one, reference: reference ?? undefined }));
      await insertClassesWithin(manager, this.place, rows, this.most);
      for (const [key, found] of await this.there(manager, new Map(missing))) classes.set(key, found);
    }
    for (const [key, { id }] of classes) this.known.set(key, id);
    return { classes, made: missing.length };
  }

  /** Returns the oldest with that reference or label. */
  private async there(
    manager: EntityManager,
    wanted: ReadonlyMap<string, ImportedClass>,
  ): Promise<Map<string, FoundClass>> {
    const unknown = [...wanted].filter(([key]) => !this.known.has(key)).map(([, one]) => one);
    const rows: ClassRow[] = await manager.query(
      `SELECT id, reference, label, images FROM dataset_classes
        WHERE dataset_id = $1 AND time_deleted IS NULL
          AND (id = ANY($2::uuid[]) OR reference = ANY($3) OR label = ANY($4)) ORDER BY id FOR UPDATE`,
      [
        this.place.datasetId,
        [...wanted.keys()].flatMap((key) => this.known.get(key) ?? []),
        unknown.flatMap(({ reference }) => reference ?? []),
        unknown.flatMap(({ reference, label }) => (reference === null ? [label] : [])),
      ],
    );
    return new Map(
      [...wanted].flatMap(([key, one]): [string, FoundClass][] => {
        const id = this.known.get(key);
        const found = rows.filter((row) => (id === undefined ? isMeant(row, one) : row.id === id));
        return found.length === 0 ? [] : [[key, elementAt(found, 0)]];
      }),
    );
  }
}

function isMeant(row: ClassRow, { reference, label }: ImportedClass): boolean {
  return reference === null ? row.label === label : row.reference === reference;
}
