import type { Evaluation } from './evaluation.js';
import type { Figures } from './figures.js';

/** Table of an evaluation as text, for a page and for a terminal. */
export interface ShownTable {
  head: string[];
  rows: string[][];
}

/** Returns a row per figure, a column per version. */
export function shownFigures({ kind, threshold, versions }: Evaluation): ShownTable {
  const at = `at ${shownShare(threshold)}`;
  const line = (title: string, value: (figures: Figures) => string): string[] => [
    title,
    ...versions.map(({ figures }) => value(figures)),
  ];
  const rows = [
    ...(kind === 'detector'
      ? [
          line('mAP, overlap of 0.5', ({ map50 }) => shownNumber(map50)),
          line('mAP, overlaps of 0.5 to 0.95', ({ map }) => shownNumber(map)),
        ]
      : [line('Accuracy', ({ accuracy }) => shownShare(accuracy))]),
    line(`Precision ${at}`, ({ at: point }) => shownShare(point.precision)),
    line(`Recall ${at}`, ({ at: point }) => shownShare(point.recall)),
    line(`F1 ${at}`, ({ at: point }) => shownNumber(point.f1)),
    line('Highest F1', ({ best }) =>
      best === null ? '–' : `${shownNumber(best.f1)} at ${shownShare(best.threshold)}`,
    ),
  ];
  const head = ['', ...versions.map(({ version, isInUse }) => `Version ${version}${isInUse ? ' (in use)' : ''}`)];
  return { head, rows };
}

/** Returns a row per label, with the figures of every version. */
export function shownLabels({ kind, versions }: Evaluation): ShownTable {
  const [asked, ...others] = versions;
  const main = kind === 'detector' ? 'AP 0.5' : 'Recall';
  const valueOf = (figures: Figures | undefined, label: string): string => {
    const found = figures?.labels.find((one) => one.label === label);
    return kind === 'detector' ? shownNumber(found?.ap50 ?? null) : shownShare(found?.recall ?? null);
  };
  const rows = (asked?.figures.labels ?? []).map(({ label, labelled, precision, recall, ap50 }) => [
    ...[label, String(labelled), kind === 'detector' ? shownNumber(ap50) : shownShare(recall)],
    ...others.map(({ figures }) => valueOf(figures, label)),
    shownShare(precision),
    ...(kind === 'detector' ? [shownShare(recall)] : []),
  ]);
  const head = [
    ...['Label', 'Labelled', main],
    ...others.map(({ version }) => `… of ${version}`),
    'Precision',
    ...(kind === 'detector' ? ['Recall'] : []),
  ];
  return { head, rows };
}

/** Formats a percentage; a dash for null. */
export function shownShare(share: number | null): string {
  return share === null ? '–' : `${Number((share * 100).toFixed(1))} %`;
}

function shownNumber(value: number | null): string {
  return value === null ? '–' : value.toFixed(3);
}
