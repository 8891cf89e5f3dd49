export { unpackModel, type ArchiveLimits } from './archive.js';
export type { Inspection } from './inspect.js';
export { INSPECTION_LIMITS, inspectModel, type InspectionLimits } from './inspect-model.js';
export { manifestFor, type ModelAnswers } from './manifest-for.js';
export { packModel } from './pack.js';
export { rehearseModel } from './rehearse-model.js';
export type { OnnxOutline } from './onnx-outline.js';
export type { Proposal, Question } from './propose.js';
export type { ExternalFile } from './weights.js';
