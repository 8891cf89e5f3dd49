import type { ModelType } from '@adit/contracts';
import type { TakenModels } from '@adit/module-kit';

/** Kind of gallery. All are labelled embeddings in the model repository; they differ in their subjects. */
export interface GalleryKind {
  /** The `task` of its model.yaml. */
  task: string;
  /** Module whose requests name it. */
  module: string;
  type: ModelType;
  /** Singular and plural for messages. */
  noun: string;
  plural: string;
  /** Command, up to the name, that builds its next version from the same photos. */
  command: string;
  /** Reason for an empty gallery, for messages. */
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

/** Returns the installed galleries of a kind. */
export function galleriesOf({ type, module, command }: GalleryKind): TakenModels {
  return {
    type,
    includes: ({ kind, modules }) => kind === 'gallery' && modules.includes(module),
    rebuild: (name) => `${command} ${name}`,
  };
}
