import type { DatasetType, ErrorCode, Landmark, LeftOutReason, ModelManifest, TrainingReport } from '@adit/contracts';

/** Orders to `training-program.ts`, one after the other; it answers each. */
export type TrainingOrder =
  | { begin: DatasetType }
  /** Begins classes; those before have ended. */
  | { open: { id: string; label: string; landmark?: Landmark }[] }
  /** Adds images of the open classes. */
  | { images: PackedImages }
  /** Ends: the version's files are written into `folder`. */
  | { write: { folder: string; name: string; description: string; network: { name: string; digest: string } } };

/** Images with their vectors in one piece, which costs a copy instead of objects. */
export interface PackedImages {
  images: {
    /** Place of its class among the open ones. */
    of: number;
    id: string;
    digest: string | null;
    /** Null: the next of the vectors; otherwise the reason why it is left out. */
    fault: LeftOutReason | null;
  }[];
  vectors: Float32Array;
}

/** Result of a training, beside its files. */
export interface WrittenHead {
  manifest: ModelManifest;
  report: TrainingReport;
}

export type TrainingAnswer =
  | { progress: number }
  /** Result of `written`: null when no image can be used; missing where nothing was to be written. */
  | { written?: WrittenHead | null }
  | { error: { code: ErrorCode; message: string } };

/** File in the version's folder beside the gallery. */
export const GRAPH_FILE = 'model.onnx';
