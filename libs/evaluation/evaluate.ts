import { AditError } from '@adit/contracts';
import type { FoundBox, JudgedPicture, TrueBox } from './average-precision.js';
import type { Evaluation, LeftOut } from './evaluation.js';
import { classifierFigures, detectorFigures, type Answer, type Figures } from './figures.js';
import type { LabelledPicture, LabelledSet } from './labelled-set.js';

/** Findings of a version in a picture. */
export interface Predicted {
  /** Size of the displayed picture in pixels. */
  width: number;
  height: number;
  /** Boxes in fractions of the picture; null for findings about the whole of it. */
  found: { label: string; score: number; box: FoundBox['box'] | null }[];
}

/** A picture that cannot be analysed, with the reason. */
export interface Unreadable {
  problem: string;
}

export interface Evaluating extends Pick<Evaluation, 'model' | 'kind' | 'threshold' | 'time'> {
  set: LabelledSet;
  /** Labels of the model; null when unknown. */
  labels: readonly string[] | null;
  /** Answers in the order of the set's pictures. */
  versions: { version: number; isInUse: boolean; answers: readonly (Predicted | Unreadable)[] }[];
}

/**
 * Evaluates versions on the same pictures and labels: those that any of them knows, in any case. Throws VALIDATION
 * where nothing can be evaluated.
 */
export function evaluate({ model, kind, threshold, time, set, labels, versions }: Evaluating): Evaluation {
  const names = new Map(set.labels.map((label) => [folded(label), label]));
  const readable = set.pictures.flatMap((picture, at) => {
    const answers = versions.map((version) => version.answers[at]);
    return answers.every((answer) => answer !== undefined && !('problem' in answer)) ? [{ picture, at }] : [];
  });
  const known = labels === null ? null : new Set([...labels.map(folded), ...said(versions)]);
  const isKnown = (label: string): boolean => known === null || known.has(folded(label));
  const left: LeftOut = {
    unknownLabels: unknownLabels(set, isKnown),
    missing: set.missing,
    unreadable: unreadable(set, versions),
    ambiguous: [],
  };
  refuseUnknown(model, { set, labels, isKnown, unknown: left.unknownLabels });
  const judged =
    kind === 'detector' ? readable : readable.filter(({ picture }) => isOfOneLabel(picture, isKnown, left.ambiguous));
  if (judged.length === 0) {
    const [first] = left.unreadable;
    const why = first === undefined ? 'none has a label that counts' : `${first.name}: ${first.message}`;
    throw new AditError(
      'VALIDATION',
      `None of the ${set.pictures.length} pictures of ${set.title} can be judged: ${why}`,
    );
  }
  const figuresOf = (answers: readonly (Predicted | Unreadable)[]): Figures => {
    const pairs = judged.flatMap(({ picture, at }) => {
      const answer = answers[at];
      return answer === undefined || 'problem' in answer ? [] : [{ picture, answer }];
    });
    return kind === 'detector'
      ? detectorFigures(
          pairs.map((pair) => judgedBoxes(pair, { names, isKnown })),
          threshold,
        )
      : classifierFigures(
          pairs.map((pair) => answered(pair, { names, isKnown })),
          threshold,
        );
  };
  return {
    ...{ model, kind, images: set.title, time, threshold },
    versions: versions.map(({ version, isInUse, answers }) => ({ version, isInUse, figures: figuresOf(answers) })),
    leftOut: left,
  };
}

interface Naming {
  /** Labels as the set writes them, by their compared form. */
  names: ReadonlyMap<string, string>;
  isKnown: (label: string) => boolean;
}

interface Pair {
  picture: LabelledPicture;
  answer: Predicted;
}

/** Findings of labels that the set does not have are ignored, since they were not labelled there. */
function judgedBoxes({ picture, answer }: Pair, { names, isKnown }: Naming): JudgedPicture {
  const { width, height } = picture.size ?? answer;
  const truth = (picture.boxes ?? []).flatMap(({ label, bbox: [x, y, w, h], isCrowd }): TrueBox[] => {
    if (!isKnown(label)) return [];
    const box = { x: x / width, y: y / height, w: w / width, h: h / height };
    return [{ label: names.get(folded(label)) ?? label, box, isCrowd }];
  });
  const found = answer.found.flatMap(({ label, score, box }): FoundBox[] => {
    const name = names.get(folded(label));
    return box === null || name === undefined ? [] : [{ label: name, score, box }];
  });
  return { truth, found };
}

function answered({ picture, answer }: Pair, { names, isKnown }: Naming): Answer {
  const nameOf = (label: string): string => names.get(folded(label)) ?? label;
  const [surest = null] = answer.found.toSorted((a, b) => b.score - a.score);
  return {
    label: nameOf(picture.labels.find(isKnown) ?? ''),
    said: surest === null ? null : { label: nameOf(surest.label), score: surest.score },
  };
}

/** Collects the names of pictures with several labels. */
function isOfOneLabel({ name, labels }: LabelledPicture, isKnown: Naming['isKnown'], ambiguous: string[]): boolean {
  const counted = new Set(labels.filter(isKnown).map(folded));
  if (counted.size > 1) ambiguous.push(name);
  return counted.size === 1;
}

function unknownLabels({ pictures }: LabelledSet, isKnown: Naming['isKnown']): LeftOut['unknownLabels'] {
  const counts = new Map<string, number>();
  for (const { labels, boxes } of pictures) {
    for (const label of boxes === null ? labels : boxes.map((box) => box.label)) {
      if (!isKnown(label)) counts.set(label, (counts.get(label) ?? 0) + 1);
    }
  }
  return [...counts].map(([label, count]) => ({ label, count })).sort((a, b) => b.count - a.count);
}

/** Number of names that an error may list. */
const MAX_NAMED = 20;

function refuseUnknown(
  model: string,
  {
    set,
    labels,
    isKnown,
    unknown,
  }: Pick<Naming, 'isKnown'> & Pick<Evaluating, 'set' | 'labels'> & { unknown: LeftOut['unknownLabels'] },
): void {
  if (labels === null || set.pictures.some((picture) => picture.labels.some(isKnown))) return;
  const named = (names: readonly string[]): string =>
    `${names.slice(0, MAX_NAMED).join(', ')}${names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''}`;
  const counts = named(unknown.map(({ label, count }) => `${label} (${count})`));
  throw new AditError(
    'VALIDATION',
    `${model} knows none of the labels of ${set.title}: ${counts}. It knows ${named(labels)}.`,
  );
}

function unreadable({ pictures }: LabelledSet, versions: Evaluating['versions']): LeftOut['unreadable'] {
  return pictures.flatMap(({ name }, at) => {
    const [problem] = versions.flatMap(({ answers }) => {
      const answer = answers[at];
      return answer !== undefined && 'problem' in answer ? [answer.problem] : [];
    });
    return problem === undefined ? [] : [{ name, message: problem }];
  });
}

function said(versions: Evaluating['versions']): string[] {
  return versions.flatMap(({ answers }) =>
    answers.flatMap((answer) => ('problem' in answer ? [] : answer.found.map(({ label }) => folded(label)))),
  );
}

function folded(label: string): string {
  return label.normalize('NFC').trim().toLowerCase();
}
