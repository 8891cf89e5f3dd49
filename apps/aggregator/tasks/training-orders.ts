import type { DatasetType, ErrorCode, Landmark, LeftOutReason, ModelManifest, TrainingReport } from '@adit/contracts';

/** What `training-program.ts` is told, one after the other; it answers each. */
export type TrainingOrder =
  | { begin: DatasetType }
  /** Classes that follow those before, which have ended. */
  | { open: { id: string; label: string; landmark?: Landmark }[] }
  /** More images of the classes that are open. */
  | { images: PackedImages }
  /** The end: the version's files go into `folder`. */
  | { write: { folder: string; name: string; description: string; network: { name: string; digest: string } } };

/** Images with their vectors in one piece: what was seen costs a copy, not an object. */
export interface PackedImages {
  images: {
    /** The place of its class among those that are open. */
    of: number;
    id: string;
    digest: string | null;
    /** Null: the next of the vectors; else why it is left out. */
    fault: LeftOutReason | null;
  }[];
  vectors: Float32Array;
}

/** What a training made, beside the files that it wrote. */
export interface WrittenHead {
  manifest: ModelManifest;
  report: TrainingReport;
}

export type TrainingAnswer =
  | { progress: number }
  /** `written`: null when nothing can be used; missing where nothing was to be written. */
  | { written?: WrittenHead | null }
  | { error: { code: ErrorCode; message: string } };

/** In the version's folder beside the gallery. */
export const GRAPH_FILE = 'model.onnx';
