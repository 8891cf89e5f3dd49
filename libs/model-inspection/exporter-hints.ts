import type { ExporterHints } from '@adit/inference/families';
import { labelLines } from '@adit/inference/labels';
import { tritonHints } from '@adit/inference/triton-config';
import { labelsOf, refuseUnstorable } from './class-labels.js';
import { huggingFace } from './hugging-face-hints.js';
import type { OnnxOutline } from './onnx-outline.js';
import { paddleConfig } from './paddle-config.js';
import { readPythonLiteral, type PythonValue } from './python-literal.js';
import type { SidecarFiles } from './sidecar-files.js';

const NOTHING: ExporterHints = {
  exporter: null,
  task: null,
  head: null,
  labels: null,
  multiLabel: false,
  width: null,
  height: null,
  colour: null,
  mean: null,
  std: null,
  resize: null,
  shorterSide: null,
  floorCrop: false,
  filter: null,
  pad: null,
  maxBatch: null,
  textLength: null,
  textPad: null,
  writing: { start: null, end: null, length: null },
};

/**
 * Reads the exporter's hints from the file's metadata or from the files beside it. An unreadable file is an error,
 * since a wrong guess would only show as bad results. `config.pbtxt` takes precedence over the exporter, and
 * `labels.txt` over all.
 */
export function readHints(outline: OnnxOutline, files: SidecarFiles): ExporterHints {
  const { metadata } = outline;
  const said = { ...NOTHING, ...(ultralytics(outline) ?? huggingFace(files) ?? paddle(metadata, files) ?? {}) };
  const lines = files['labels.txt'] ?? files['charset.txt'];
  const labels = lines === undefined ? said.labels : labelLines(lines);
  refuseUnstorable(labels ?? []);
  return { ...said, ...triton(files, said), labels };
}

/** Returns the hints of a Triton configuration beyond `said`. */
function triton(files: SidecarFiles, said: ExporterHints): Partial<ExporterHints> {
  const text = files['config.pbtxt'];
  if (text === undefined) return {};
  const { width, height, colour, mean, std, maxBatch } = tritonHints(text);
  return {
    exporter: said.exporter ?? 'Triton',
    width: width ?? said.width,
    height: height ?? said.height,
    colour: colour ?? said.colour,
    mean: mean ?? said.mean,
    std: std ?? said.std,
    maxBatch,
  };
}

/** Letterbox of Ultralytics' data/augment.py, and of YOLOv5's. */
const LETTERBOX = { resize: 'letterbox', filter: 'bilinear', pad: { value: 114, at: 'centre' } } as const;
const OF_ONE = { colour: 'rgb', mean: [0, 0, 0], std: [255, 255, 255] } satisfies Partial<ExporterHints>;

/**
 * Ultralytics writes its metadata into the graph: https://docs.ultralytics.com/modes/export/. YOLOv5's own exporter
 * writes only its labels and the stride (export.py).
 */
function ultralytics(outline: OnnxOutline): Partial<ExporterHints> | null {
  const { metadata } = outline;
  if (metadata.author !== 'Ultralytics') {
    return metadata.names === undefined || metadata.stride === undefined ? null : yolov5(metadata.names, outline);
  }
  const size = metadata.imgsz === undefined ? null : numbersOf(readPythonLiteral(metadata.imgsz), 2);
  const isTransformer = metadata.head === 'RTDETRDecoder' || /rt-?detr/i.test(metadata.description ?? '');
  const head = metadata.head ?? (isTransformer ? 'RTDETRDecoder' : null);
  return {
    exporter: 'Ultralytics',
    task: metadata.task ?? 'detect',
    head,
    labels: metadata.names === undefined ? null : labelsOf(readPythonLiteral(metadata.names)),
    height: size?.[0] ?? null,
    width: size?.[1] ?? null,
    ...OF_ONE,
    // ultralytics/data/augment.py: classify_transforms is torchvision's Resize and CenterCrop, the others LetterBox.
    ...(metadata.task === 'classify' ? { resize: 'crop', filter: 'antialiased' } : LETTERBOX),
  };
}

/**
 * YOLOv5's classifiers crop the centre, resize with OpenCV and use ImageNet's mean and std (utils/augmentations.py).
 */
function yolov5(names: string, { outputs }: OnnxOutline): Partial<ExporterHints> {
  const said = { exporter: 'YOLOv5', labels: labelsOf(readPythonLiteral(names)), ...OF_ONE };
  if (outputs[0]?.axes?.length !== 2) return { ...said, ...LETTERBOX };
  const [mean, std] = [
    [123.675, 116.28, 103.53],
    [58.395, 57.12, 57.375],
  ];
  return { ...said, task: 'classify', mean, std, resize: 'crop', filter: 'bilinear' };
}

/** PaddleOCR's `inference.yml`; RapidOCR writes a recogniser's characters into the graph, one per line. */
function paddle({ character }: Record<string, string>, files: SidecarFiles): Partial<ExporterHints> | null {
  const text = files['inference.yml'];
  if (text !== undefined) return paddleConfig(text);
  if (character === undefined) return null;
  // `resize_norm_img` of its predict_rec.py, which all recognisers use.
  const pixels = {
    // PP-OCRv3 and newer.
    height: 48,
    ...{ colour: 'bgr' as const, filter: 'bilinear' as const },
    ...{ mean: [127.5, 127.5, 127.5], std: [127.5, 127.5, 127.5] },
  };
  return { exporter: 'PaddleOCR', task: 'text-recognition', labels: character.split('\n'), ...pixels };
}

function numbersOf(value: PythonValue, count: number): number[] | null {
  if (typeof value === 'number') return Array.from({ length: count }, () => value);
  if (!Array.isArray(value) || value.length !== count) return null;
  const numbers = value.filter((each) => typeof each === 'number').filter((each) => Number.isInteger(each) && each > 0);
  return numbers.length === count ? numbers : null;
}
