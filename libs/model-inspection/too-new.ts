import type { OnnxOutline } from './onnx-outline.js';
import { refused } from './refusal.js';

/** Newest version of the format, and of the operators, that this ONNX Runtime loads; `too-new.spec.ts` verifies it. */
export const NEWEST = { ir: 13, opset: 26 } as const;

/** Exporters' options for the operator version, by exporter. */
const OPTIONS: readonly (readonly [exporter: RegExp, option: string])[] = [
  [/ultralytics/i, `model.export(format="onnx", opset=${NEWEST.opset})`],
  [/optimum/i, `optimum-cli export onnx --opset ${NEWEST.opset}`],
  [/pytorch/i, `torch.onnx.export(…, opset_version=${NEWEST.opset})`],
  [/tf2onnx/i, `tf2onnx.convert --opset ${NEWEST.opset}`],
  [/skl2onnx|onnxmltools/i, `to_onnx(…, target_opset=${NEWEST.opset})`],
  [/paddle/i, `paddle2onnx --opset_version ${NEWEST.opset}`],
];
const CONVERTER = `onnx.version_converter.convert_version(model, ${NEWEST.opset})`;

/** Throws VALIDATION for a file of a newer version than can be loaded, with advice for an older one. */
export function refuseTooNew({ irVersion, opsets, producer, metadata }: OnnxOutline): void {
  const opset = opsets[''] ?? 0;
  if (irVersion <= NEWEST.ir && opset <= NEWEST.opset) return;
  const by = `${producer} ${metadata['author'] ?? ''}`;
  const option = OPTIONS.find(([exporter]) => exporter.test(by))?.[1] ?? CONVERTER;
  const older = opset > NEWEST.opset ? ` Export it with an older one: ${option}.` : '';
  const ir = irVersion > NEWEST.ir ? ` Set model.ir_version = ${NEWEST.ir} before onnx.save().` : '';
  throw refused(
    `It is written in IR version ${irVersion} with opset ${opset}; the newest that can be loaded are IR version ${NEWEST.ir} and opset ${NEWEST.opset}.${older}${ir}`,
  );
}
