import type { FloatTensor } from '../../tensor.js';
import type { Finding } from '../family.js';
import { axesBehindBatch, type Shape } from '../graph.js';

/** Largest number of boxes after suppression, or of a transformer's queries; grids have more cells. */
const MAX_BOXES = 1000;
/** Extra values per box in each task, which are ignored. */
const LEFT_OUT: Readonly<Record<string, string>> = { pose: 'points', segment: 'masks' };
const TASKS = new Set(['detect', 'classify', ...Object.keys(LEFT_OUT)]);
/** RT-DETR sees the picture stretched to its input (RTDETRPredictor). */
const SQUASHED = { resize: 'stretch', pad: null } as const;

/**
 * Recognises exports of Ultralytics (https://docs.ultralytics.com/modes/export/) and YOLOv5 by the labels and task in
 * their metadata. The task tells which values follow a box: boxes of poses and masks are used, rotated ones are not.
 */
export function ultralytics(shape: Shape): Finding | null {
  const { hints, outline } = shape;
  if (hints.exporter !== 'Ultralytics' && hints.exporter !== 'YOLOv5') return null;
  if (hints.task !== null && !TASKS.has(hints.task)) return refused(hints.task);
  const [output, masks] = outline.outputs;
  const axes = axesBehindBatch(output, 2);
  if (axes === null || hints.task === 'classify') return null;
  const [rows = null, columns = null] = axes;
  const kinds = hints.labels?.length ?? null;
  if (hints.exporter === 'YOLOv5') {
    const more = outline.outputs.length === 2 ? (axesBehindBatch(masks, 3)?.[0] ?? null) : null;
    if (more === null || kinds === null || columns !== 5 + kinds + more) return null;
    return found('yolov5-segment', kinds, `an output [${rows ?? 'anchors'}, ${columns}] beside masks`, 'segment');
  }
  const isFew = rows === null || rows <= MAX_BOXES;
  const task = hints.task ?? 'detect';
  if (task !== 'detect') {
    const ending = task === 'pose' ? 'pose' : 'segment';
    // With suppression in the graph there are fewer rows than cells, and no more columns than a box has numbers.
    const isSuppressed = isFew && columns !== null && rows !== null && rows > columns;
    const said = isSuppressed ? `[${rows}, ${columns}]` : `[${rows ?? 'rows'}, ${columns ?? 'cells'}]`;
    return found(
      `${isSuppressed ? 'boxes' : 'yolov8'}-${ending}`,
      kinds,
      `an output ${said} of the task ${task}`,
      task,
    );
  }
  if (outline.outputs.length !== 1) return null;
  if (columns !== null && isFew && columns < (rows ?? Infinity)) return fewBoxes(shape, rows, columns);
  // With open axes only the exporter's labels tell how many rows there are.
  const classes = rows === null && columns === null ? kinds : (rows ?? 0) - 4;
  if (classes === null || classes <= 0 || (rows !== null && columns !== null && rows > columns)) return null;
  return found('yolov8', classes, `an output [${classes + 4}, ${columns ?? 'cells'}] of Ultralytics`);
}

/** One row per box: after suppression, or of RT-DETR, whose boxes are centre and size in fractions of the picture. */
function fewBoxes(shape: Shape, rows: number | null, columns: number): Finding | null {
  const { head, labels } = shape.hints;
  const kinds = labels?.length ?? null;
  const answers = (shape.tried?.answers ?? []).flatMap((answer) => Object.values(answer));
  const isTransformer = head === 'RTDETRDecoder' || (head === null && answers.some(isInParts));
  const size = `[${rows ?? 'n'}, ${columns}]`;
  if (!isTransformer) {
    return columns === 6 ? found('boxes', kinds, `an output ${size}: corners, score and class of each box`) : null;
  }
  // With two labels both formats have six columns, but class numbers are integers.
  const isChosen = columns === 6 && (kinds !== 2 || answers.every(hasWholeClasses));
  const finding = isChosen
    ? found('ultralytics-rtdetr', kinds, `an output ${size} of RT-DETR: centre, size, score and class of each box`)
    : found(
        'ultralytics-rtdetr-scores',
        columns - 4,
        `an output ${size} of RT-DETR: centre, size and scores of each box`,
      );
  return { ...finding, pixels: SQUASHED };
}

/** Tests for at least one box, and none beyond 1, as pixels would be. */
function isInParts({ data, dims }: FloatTensor): boolean {
  const columns = dims[1] ?? 1;
  let [any, beyond] = [false, false];
  for (let at = 0; at < data.length; at += columns) {
    const place = data.subarray(at, at + 4);
    any ||= place.some((value) => value > 0);
    beyond ||= place.some((value) => value < -0.5 || value > 1.5);
  }
  return any && !beyond;
}

function hasWholeClasses({ data, dims }: FloatTensor): boolean {
  const columns = dims[1] ?? 1;
  for (let at = 5; at < data.length; at += columns) if (!Number.isInteger(data[at])) return false;
  return true;
}

function refused(task: string): Finding {
  const what = task === 'obb' ? 'its boxes are rotated, which' : 'what it answers';
  const refusal = `It is a model of Ultralytics for the task ${task}: ${what} jobs do not use. They use those for the task detect, segment, pose or classify.`;
  return { ...found(null, null, `a model of Ultralytics for the task ${task}`), refusal };
}

function found(decoding: string | null, classes: number | null, because: string, task = 'detect'): Finding {
  const more = LEFT_OUT[task];
  const note = more === undefined ? {} : { note: `Its boxes are used, and its ${more} are left out.` };
  return { decoding, classes, dimensions: null, because, ...note };
}
