import { readHints } from '../exporter-hints.js';
import type { SidecarFiles } from '../sidecar-files.js';
import { readOutline } from '../onnx-outline.js';
import { propose, type Proposal } from '../propose.js';
import { graphOf, INT64, model, reading, value } from './onnx-file.js';

export type Axes = readonly (number | string)[];

export interface Export {
  input?: Axes;
  inputName?: string;
  outputs: Record<string, Axes>;
  metadata?: Record<string, string>;
  files?: SidecarFiles;
  /** Integer inputs beside the picture. */
  others?: Record<string, Axes>;
}

export function proposed({
  input = [1, 3, 640, 640],
  inputName,
  outputs,
  metadata = {},
  files = {},
  others = {},
}: Export): Promise<Proposal> {
  const graph = graphOf(input, outputs, inputName);
  graph.input?.push(...Object.entries(others).map(([name, axes]) => value(name, axes, INT64)));
  const metadataProps = Object.entries(metadata).map(([key, value]) => ({ key, value }));
  return reading(model(graph, { metadataProps }), (file) => {
    const outline = readOutline(file);
    return propose(outline, readHints(outline, files));
  });
}

export const flags = ({ questions }: Proposal): string[] => questions.map(({ flag }) => flag);

export const ULTRALYTICS = {
  author: 'Ultralytics',
  task: 'detect',
  stride: '32',
  imgsz: '[640, 640]',
  names: `{0: 'person', 1: "driver's cab", 2: 'Stra\\xdfe'}`,
};
