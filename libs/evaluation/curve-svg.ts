import { xmlText } from '@adit/ooxml';
import type { CurvePoint } from './threshold-curve.js';

const [WIDTH, HEIGHT] = [640, 320];
const [LEFT, RIGHT, TOP, BOTTOM] = [44, 24, 14, 34];
const LINES = ['precision', 'recall', 'f1'] as const;

/** Draws precision, recall and F1 by threshold as an SVG; the first curve is solid, others dashed. */
export function curveSvg(
  curves: readonly { title: string; curve: readonly CurvePoint[] }[],
  threshold: number,
): string {
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const text = `${share * 100} %`;
    return (
      `<path class="grid" d="M${x(0)} ${y(share)}H${x(1)}"/><text x="${LEFT - 6}" y="${y(share) + 4}" text-anchor="end">${text}</text>` +
      `<text x="${x(share)}" y="${HEIGHT - 14}" text-anchor="middle">${text}</text>`
    );
  });
  const lines = curves.flatMap(({ title, curve }, at) =>
    LINES.map((name) => {
      const path = pathOf(curve.map((point) => [point.threshold, point[name]]));
      return `<path class="${name}${at === 0 ? '' : ' other'}" d="${path}"><title>${xmlText(`${title}: ${name}`)}</title></path>`;
    }),
  );
  const at = `<path class="at" d="M${x(threshold)} ${TOP}V${y(0)}"/>`;
  const label = xmlText(`Precision, recall and F1 by threshold: ${curves.map(({ title }) => title).join(', ')}`);
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}" xmlns="http://www.w3.org/2000/svg">${grid.join('')}${at}${lines.join('')}</svg>`;
}

/** Interrupted where there is no value. */
function pathOf(points: readonly [number, number | null][]): string {
  let pen = 'M';
  return points
    .map(([at, share]) => {
      if (share === null) {
        pen = 'M';
        return '';
      }
      const step = `${pen}${x(at)} ${y(share)}`;
      pen = 'L';
      return step;
    })
    .join('');
}

function x(share: number): number {
  return rounded(LEFT + share * (WIDTH - LEFT - RIGHT));
}

function y(share: number): number {
  return rounded(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM));
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
