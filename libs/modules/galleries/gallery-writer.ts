import { join } from 'node:path';
import { AditError, ModelManifest, namedUuid, type Landmark } from '@adit/contracts';
import { checkModelName, readManifest, writeDurably, writeModelVersion } from '@adit/inference/model-writer';
import { bytesOf, normalised } from './embedding.js';
import { EMBEDDINGS_FILE, GALLERY_FILE } from './gallery.js';
import type { GalleryFile } from './gallery.js';
import { FACE_GALLERY, type GalleryKind } from './kinds.js';

/** A person or landmark to recognise: every embedding has `dimensions` values and a non-zero length. */
export interface GalleryPerson {
  label: string;
  embeddings: ArrayLike<number>[];
  /** Kept when given, so that a renamed person keeps the id; otherwise derived from gallery name and label. */
  id?: string;
  landmark?: Landmark;
}

interface GalleryOptions {
  /** Kind of gallery; faces when omitted. */
  kind?: GalleryKind;
  /** Network of the embeddings; the user's own with the distance up to which two of them match. */
  embedding: { name: string; digest: string; maxDistance?: number };
  dimensions: number;
  /** See `ModelManifest`. */
  maxDistance?: number;
  description?: string;
  licence?: string;
  origin?: string;
  /** Use this gallery when a request names none. */
  isDefault?: boolean;
  /** False for galleries that come with the service, whose class ids stay hidden. */
  custom?: boolean;
}

interface WrittenGallery {
  name: string;
  version: number;
  /** Absolute, or relative like `modelsDir`. */
  folder: string;
  people: number;
  rows: number;
}

/**
 * Adds a version to the gallery `name` in a model repository, or creates the gallery. The version appears completely or
 * not at all. Throws VALIDATION for an invalid name, two people with one id, or invalid embeddings; CONFLICT when the
 * name belongs to another kind of model.
 */
export async function writeGalleryVersion(
  modelsDir: string,
  name: string,
  people: GalleryPerson[],
  options: GalleryOptions,
): Promise<WrittenGallery> {
  const { file, embeddings } = galleryOf(name, people, options);
  const before = await galleryBefore(modelsDir, name, options);
  const manifest = manifestOf(name, options, before);
  const written = await writeModelVersion(modelsDir, {
    manifest,
    weights: EMBEDDINGS_FILE,
    embeddedWith: options.embedding.digest,
    write: async (draft) => {
      await writeDurably(join(draft, GALLERY_FILE), JSON.stringify(file));
      await writeDurably(join(draft, EMBEDDINGS_FILE), embeddings);
    },
  });
  return { name, ...written, people: file.classes.length, rows: file.rows.length };
}

/**
 * Writes the files of a gallery version into a folder, and returns their manifest: for this version alone, which it
 * calls 1 whatever its number in the store. Throws VALIDATION.
 */
export async function writeGalleryFiles(
  folder: string,
  name: string,
  people: GalleryPerson[],
  options: GalleryOptions,
): Promise<ModelManifest> {
  const { file, embeddings } = galleryOf(name, people, options);
  await writeDurably(join(folder, GALLERY_FILE), JSON.stringify(file));
  await writeDurably(join(folder, EMBEDDINGS_FILE), embeddings);
  return { ...manifestOf(name, options, null), embeddedWith: { '1': options.embedding.digest } };
}

function galleryOf(name: string, people: GalleryPerson[], options: GalleryOptions) {
  const kind = options.kind ?? FACE_GALLERY;
  checkModelName(name, kind.noun);
  const shown = people.filter((person) => person.embeddings.length > 0);
  if (shown.length === 0) throw new AditError('VALIDATION', kind.nothing);
  const classes = shown.map(({ id, label, embeddings, landmark }) => ({
    id: id ?? classIdOf(name, label),
    label,
    images: embeddings.length,
    ...(landmark === undefined ? {} : { landmark }),
  }));
  if (new Set(classes.map(({ id }) => id)).size < classes.length) {
    throw new AditError(
      'VALIDATION',
      `Two entries of the ${kind.noun} have the same name; tell them apart by their names.`,
    );
  }
  const rows = shown.flatMap(({ embeddings }, index) => embeddings.map(() => index));
  const file: GalleryFile = {
    format: 1,
    name,
    custom: options.custom ?? true,
    embedding: { name: options.embedding.name, digest: options.embedding.digest },
    ...(options.embedding.maxDistance !== undefined && { maxDistance: options.embedding.maxDistance }),
    dimensions: options.dimensions,
    classes,
    rows,
  };
  return { file, embeddings: unitsOf(shown, options.dimensions) };
}

/** Embeddings that are written together. */
const ROWS_PER_WRITE = 256;

/** Yields embeddings as they are written, since together they may be as large as their source. Throws VALIDATION. */
function* unitsOf(people: readonly GalleryPerson[], dimensions: number): Generator<Buffer, void> {
  const parts: Buffer[] = [];
  for (const { label, embeddings } of people) {
    for (const embedding of embeddings) {
      const unit = embedding.length === dimensions ? normalised(embedding) : null;
      if (unit === null) {
        throw new AditError('VALIDATION', `An embedding of ${label} has not ${dimensions} usable values.`);
      }
      parts.push(bytesOf(unit));
      if (parts.length < ROWS_PER_WRITE) continue;
      yield Buffer.concat(parts.splice(0));
    }
  }
  yield Buffer.concat(parts);
}

async function galleryBefore(
  modelsDir: string,
  name: string,
  { kind = FACE_GALLERY, embedding }: GalleryOptions,
): Promise<ModelManifest | null> {
  const manifest = await readManifest(modelsDir, name);
  if (manifest === null) return null;
  if (manifest.kind !== 'gallery' || manifest.task !== kind.task) {
    throw new AditError('CONFLICT', `${name} is already a model, and no ${kind.noun}: choose another name.`);
  }
  // model.yaml applies to all versions.
  if (manifest.embedding !== undefined && manifest.embedding !== embedding.name) {
    throw new AditError(
      'CONFLICT',
      `The versions of ${name} are made with ${manifest.embedding}: a ${kind.noun} of ${embedding.name} needs a name of its own.`,
    );
  }
  return manifest;
}

function manifestOf(name: string, options: GalleryOptions, before: ModelManifest | null): ModelManifest {
  const kind = options.kind ?? FACE_GALLERY;
  return ModelManifest.parse({
    ...before,
    name,
    kind: 'gallery',
    task: kind.task,
    description: options.description ?? before?.description ?? '',
    dimensions: options.dimensions,
    embedding: options.embedding.name,
    maxDistance: options.maxDistance ?? options.embedding.maxDistance,
    licence: options.licence ?? before?.licence ?? 'private',
    origin: options.origin ?? before?.origin ?? 'photos given by the user',
    modules: [kind.module],
    isDefault: options.isDefault ?? before?.isDefault ?? false,
  });
}

/** Namespace of Adit's class ids: a random UUID that must never change. */
const CLASS_NAMESPACE = '6f7d1c1e-3a52-4d0c-9b0e-7a1f5a0c9d44';

/** Returns the id of a person in a gallery: rebuilding it gives the same id. */
export function classIdOf(gallery: string, label: string): string {
  return namedUuid(CLASS_NAMESPACE, `${gallery}\n${label.normalize('NFC')}`);
}
