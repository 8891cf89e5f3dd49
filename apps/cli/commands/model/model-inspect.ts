import type { Axis, GraphValue } from '@adit/inference';
import { inspectModel, type Inspection } from '@adit/model-inspection';
import { untilInterrupted } from '../../engine/interrupt.js';
import { withGraph } from './model-file.js';
import { printable } from '../../output/text-table.js';

/** Prints what an ONNX file is, what it would be used as, and what has to be known besides. */
export async function printInspection(file: string, { json = false }: { json?: boolean }): Promise<void> {
  const { signal, release } = untilInterrupted();
  const inspection = await withGraph(file, (path) => inspectModel(path, { signal })).finally(release);
  process.stdout.write(json ? `${JSON.stringify(inspection, null, 2)}\n` : described(file, inspection));
}

function described(file: string, { size, external, outline, exporter, proposal, trial }: Inspection): string {
  const made = [outline.producer, exporter].filter(Boolean).join(', ') || 'nobody said by what';
  const bytes = external.reduce((sum, each) => sum + each.size, size);
  const operators = Object.keys(outline.operators).length;
  const lines: [string, string][] = [
    ['File', `${file}, ${megabytes(bytes)}${external.length > 0 ? ` with ${external.length} files of weights` : ''}`],
    ['Made by', `${made}; opset ${outline.opsets[''] ?? 'none'}`],
    ['Graph', `${outline.nodes} nodes of ${operators} operators, ${count(outline.parameters)} parameters`],
    ...outline.inputs.map((input): [string, string] => ['Input', shapeOf(input)]),
    ...outline.outputs.map((output): [string, string] => ['Output', shapeOf(output)]),
    ['Run', `loaded in ${trial.loadSeconds.toFixed(2)} s, ${Math.round(trial.runSeconds * 1000)} ms on one core`],
    ['Taken for', takenFor(proposal)],
    ...said('Left out', proposal.note),
    ...said('Refused', proposal.refusal),
    ...besides(proposal.input),
    ...pixels(proposal.input),
    ...labelled(proposal.labels),
    ...proposal.questions.map(({ question }): [string, string] => ['Not known', question]),
  ];
  return lines.map(([name, value]) => `${name.padEnd(10)} ${printable(value)}\n`).join('');
}

function said(name: string, text: string | null): [string, string][] {
  return text === null ? [] : [[name, text]];
}

/** Lists the inputs of a graph beside the picture, and the required inputs that nobody can fill. */
function besides(input: Inspection['proposal']['input']): [string, string][] {
  const given = Object.entries(input?.also ?? {}).map(([name, part]): [string, string] => [
    'Given',
    `${name}: ${part === 'size' ? "the input's width and height" : 'ones'}`,
  ]);
  const unknown = (input?.unknown ?? []).map((name): [string, string] => [
    'Refused',
    `nothing is known to give ${name}`,
  ]);
  return [...given, ...unknown];
}

function takenFor({ family, decoding, because, classes, dimensions }: Inspection['proposal']): string {
  const what = family === null ? 'nothing that is known' : decoding === null ? family : `${family} (${decoding})`;
  const size = classes !== null ? `, ${classes} classes` : dimensions !== null ? `, ${dimensions} numbers` : '';
  return `${what}${size}: ${because}`;
}

function pixels(input: Inspection['proposal']['input']): [string, string][] {
  if (input === null) return [];
  const { width, height, openWidth, layout, colour, resize, filter, pad, mean, std } = input;
  const size = `${openWidth ? 'any width' : (width ?? 'any width')} × ${height ?? 'any height'}`;
  const scale = mean === null || std === null ? [] : [`(value − ${rounded(mean)}) / ${rounded(std)}`];
  const padded = pad == null ? null : `padded with ${pad.value}${pad.at === 'corner' ? ' from the corner' : ''}`;
  return [
    [
      'Pictures',
      [size, layout, ...[colour, resize, filter, padded].flatMap((each) => each ?? []), ...scale].join(', '),
    ],
  ];
}

function labelled(labels: readonly string[] | null): [string, string][] {
  if (labels === null) return [];
  const shown = labels.slice(0, 6).join(', ');
  return [['Labels', labels.length > 6 ? `${shown} … (${labels.length})` : shown]];
}

const MAX_AXIS_LENGTH = 24;

function shapeOf({ name, type, axes }: GraphValue): string {
  return `${name}  ${type ?? 'no tensor'} ${axes === null ? 'of any shape' : axes.map(axisOf).join('×')}`;
}

function axisOf(axis: Axis): string {
  const text = axis === null ? '?' : String(axis);
  // Some exporters name an axis by the formula that gives its length.
  return text.length > MAX_AXIS_LENGTH ? `${text.slice(0, MAX_AXIS_LENGTH)}…` : text;
}

function rounded(values: readonly number[]): string {
  const texts = values.map((value) => String(Number(value.toFixed(3))));
  return new Set(texts).size === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}

function count(parameters: number): string {
  return parameters >= 1e6 ? `${(parameters / 1e6).toFixed(1)} million` : String(parameters);
}
