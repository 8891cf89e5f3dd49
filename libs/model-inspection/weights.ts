import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { AditError } from '@adit/contracts';
import type { OnnxOutline } from './onnx-outline.js';
import type { Weight } from './onnx-weight.js';
import { refused, shown } from './refusal.js';
import { ProtobufFile } from './protobuf-file.js';

/** Limit of all files of a model together. */
const MAX_EXTERNAL_FILES = 1_000;

/** A file beside the graph with external weights: its name relative to the graph's folder, with `/`. */
export interface ExternalFile {
  name: string;
  size: number;
}

/**
 * Lists the files with the graph's external weights. Throws VALIDATION for one outside of the graph's folder, by path
 * or link, for one that is missing, and for one that is too short.
 */
export function externalFiles(graph: string, { weights }: OnnxOutline): ExternalFile[] {
  const folder = realpathSync(dirname(graph));
  const sizes = new Map<string, number>();
  for (const { name, external } of weights) {
    if (external === null) continue;
    const { location, offset, length } = external;
    let size = sizes.get(location);
    if (size === undefined) {
      if (sizes.size === MAX_EXTERNAL_FILES) throw refused(`Its weights lie in more than ${MAX_EXTERNAL_FILES} files.`);
      size = sizeWithin(folder, location, name);
      sizes.set(location, size);
    }
    if (offset + (length ?? 0) > size) {
      throw refused(
        `The weight ${shown(name)} ends at byte ${offset + (length ?? 0)} of ${shown(location)}, which has ${size}: copy the whole file.`,
      );
    }
  }
  return [...sizes].map(([name, size]) => ({ name, size })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function sizeWithin(folder: string, location: string, weight: string): number {
  const outside = refused(
    `The weight ${shown(weight)} lies at ${shown(location)}, outside of the model's folder: save the model with its data beside it.`,
  );
  if (isAbsolute(location) || location.includes('\0') || location.includes('\\') || location.split('/').includes('..'))
    throw outside;
  let path: string;
  try {
    path = realpathSync(join(folder, location));
  } catch {
    const message = `The weight ${shown(weight)} lies in ${shown(location)}, which is missing: put it beside the graph.`;
    throw new AditError('VALIDATION', message, { errors: [{ pointer: '/data', code: 'missing', message }] });
  }
  // A link may lead out of it.
  if (relative(folder, path).split(sep)[0] === '..' || isAbsolute(relative(folder, path))) throw outside;
  const { size, isFile } = statsOf(path);
  if (!isFile) throw refused(`The weight ${shown(weight)} lies in ${shown(location)}, which is no file.`);
  return size;
}

function statsOf(path: string): { size: number; isFile: boolean } {
  const stats = statSync(path);
  return { size: stats.size, isFile: stats.isFile() };
}

/**
 * Returns the first weight with NaN, which makes every answer NaN; null without one. Only binary floats are checked;
 * the few written as lists of numbers show in the trial run.
 */
export function findNaN(graph: string, file: ProtobufFile, { weights }: OnnxOutline): string | null {
  const opened = new Map<string, ProtobufFile>();
  try {
    for (const weight of weights) {
      const holdsNaN = HOLDS_NAN[weight.type];
      if (holdsNaN === undefined) continue;
      const place = placeOf(weight, graph, file, opened);
      if (place === null) continue;
      for (const piece of place.file.pieces(place)) if (holdsNaN(piece)) return weight.name;
    }
    return null;
  } finally {
    for (const external of opened.values()) external.close();
  }
}

interface Place {
  file: ProtobufFile;
  start: number;
  end: number;
}

function placeOf(
  { raw, external }: Weight,
  graph: string,
  file: ProtobufFile,
  opened: Map<string, ProtobufFile>,
): Place | null {
  if (external === null) return raw === null ? null : { file, ...raw };
  let data = opened.get(external.location);
  if (data === undefined) {
    data = new ProtobufFile(join(dirname(graph), external.location));
    opened.set(external.location, data);
  }
  const { offset, length } = external;
  return { file: data, start: offset, end: length === null ? data.size : offset + length };
}

/** Tests for NaN in values. Infinity is allowed: masks of transformers consist of it. */
const HOLDS_NAN: Readonly<Record<string, (piece: Buffer) => boolean>> = {
  float32: (piece) => view(Float32Array, piece).some(Number.isNaN),
  float64: (piece) => view(Float64Array, piece).some(Number.isNaN),
  // All ones in the exponent and a non-zero mantissa.
  float16: (piece) => view(Uint16Array, piece).some((value) => (value & 0x7fff) > 0x7c00),
  bfloat16: (piece) => view(Uint16Array, piece).some((value) => (value & 0x7fff) > 0x7f80),
};

interface NumbersOver<T> {
  new (buffer: ArrayBufferLike, offset: number, length: number): T;
  readonly BYTES_PER_ELEMENT: number;
}

/** Views the bytes as numbers: little-endian, in ONNX and on every machine that Node runs on. */
function view<T>(numbers: NumbersOver<T>, piece: Buffer): T {
  return new numbers(piece.buffer, piece.byteOffset, Math.floor(piece.length / numbers.BYTES_PER_ELEMENT));
}
