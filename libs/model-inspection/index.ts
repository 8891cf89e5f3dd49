export { labelLines } from './exporter-hints.js';
export type { Family } from './families/finding.js';
export type { Inspection } from './inspect.js';
export { INSPECTION_LIMITS, inspectModel, type InspectionLimits } from './inspect-model.js';
export type { Axis, GraphValue, OnnxOutline } from './onnx-outline.js';
export type { Proposal, Question } from './propose.js';
export type { ExternalFile } from './weights.js';
