import type { ModelType } from '@adit/contracts';
import type { TakenModels } from '@adit/module-kit';

/** What a gallery is for. Both are labelled embeddings in the model repository; they differ in what they show. */
export interface GalleryKind {
  /** The `task` of its model.yaml. */
  task: string;
  /** The module whose requests name it. */
  module: string;
  type: ModelType;
  /** For messages: one of them, and several. */
  noun: string;
  plural: string;
  /** What makes the next version of it, of the same photos, before its name. */
  command: string;
  /** For messages: why there is nothing in it. */
  nothing: string;
}

export const FACE_GALLERY: GalleryKind = {
  task: 'face-gallery',
  module: 'face_recognition',
  type: 'face',
  noun: 'face gallery',
  plural: 'face galleries',
  command: 'adit gallery rebuild',
  nothing: 'No photo shows a face that can be used: the gallery is empty.',
};

export const LANDMARK_MODEL: GalleryKind = {
  task: 'landmark-gallery',
  module: 'landmark_recognition',
  type: 'landmark',
  noun: 'landmark model',
  plural: 'landmark models',
  command: 'adit landmark rebuild',
  nothing: 'No photo can be used: the landmark model is empty.',
};

/** The installed galleries of a kind. */
export function galleriesOf({ type, module, command }: GalleryKind): TakenModels {
  return {
    type,
    includes: ({ kind, modules }) => kind === 'gallery' && modules.includes(module),
    rebuild: (name) => `${command} ${name}`,
  };
}
