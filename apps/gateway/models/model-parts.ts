import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AditError } from '@adit/contracts';
import { textOf } from '@adit/inference';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { formParts, piecesOf } from '../http/bodies/form-parts.js';

/** Files beside the graph; exporters write one. */
const MAX_BESIDE = 32;
const MAX_FIELDS = 24;
/** Limit of labels, as a field or as a file. */
const MAX_LABEL_BYTES = 4 << 20;
const PLAIN_NAME = /^\w[\w .+@-]{0,120}$/;

/** A file of the form, as it lies here. */
export interface GivenFile {
  /** The sender's name of the file, without folders. */
  name: string;
  path: string;
}

/** Parts of a form: a graph or an archive with one, the files that lie beside the graph, and fields. */
export interface ModelParts {
  file: GivenFile;
  beside: GivenFile[];
  fields: Record<string, unknown>;
}

/**
 * Writes the files of a form into `folder`: one in the field `file`, and those beside it in `data` or in `file` again, in any
 * order; labels may be a file too. Throws VALIDATION with a pointer, and TOO_LARGE when all together have more than `maxBytes`.
 */
export async function readModelParts(
  request: FastifyRequest,
  { folder, maxBytes }: { folder: string; maxBytes: number },
): Promise<ModelParts> {
  const fields: Record<string, unknown> = {};
  const named: GivenFile[] = [];
  const beside: GivenFile[] = [];
  const files = 1 + MAX_BESIDE;
  const limits = {
    files,
    fields: MAX_FIELDS,
    fieldSize: MAX_LABEL_BYTES,
    fileSize: maxBytes,
    parts: files + MAX_FIELDS,
  };
  let bytes = 0;
  async function* counted(part: MultipartFile): AsyncGenerator<Buffer> {
    for await (const piece of piecesOf(part)) {
      bytes += piece.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      yield piece;
    }
    if (part.file.truncated) throw tooLarge(maxBytes);
  }
  for await (const part of formParts(request, 'the model in the field "file"', limits)) {
    if (part.type !== 'file') {
      fields[part.fieldname] = part.value;
      continue;
    }
    if (part.fieldname === 'labels') {
      fields['labels'] = await labelsOf(part);
      continue;
    }
    if (part.fieldname !== 'file' && part.fieldname !== 'data') throw missingFile();
    const given = { name: part.filename || 'unnamed', path: join(folder, `given-${named.length + beside.length}`) };
    await pipeline(counted(part), createWriteStream(given.path));
    (part.fieldname === 'file' ? named : beside).push(given);
  }
  const { file, others } = graphOf(named);
  return { file, beside: distinct([...others, ...beside]), fields };
}

/**
 * Reads labels as curl sends them with `-F labels=@labels.txt`. Throws VALIDATION for bytes that are no text, and
 * TOO_LARGE.
 */
async function labelsOf(part: MultipartFile): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of piecesOf(part)) {
    bytes += piece.length;
    if (bytes > MAX_LABEL_BYTES) {
      throw new AditError('TOO_LARGE', `The labels have more than ${MAX_LABEL_BYTES} bytes.`);
    }
    pieces.push(piece);
  }
  try {
    return textOf(Buffer.concat(pieces), 'labels');
  } catch (error) {
    const { message } = AditError.from(error);
    throw wrong('/labels', 'invalid', message);
  }
}

export function tooLarge(maxBytes: number): AditError {
  return new AditError('TOO_LARGE', `A model has at most ${maxBytes} bytes here, all its files together.`);
}

/** The one that is the graph or an archive; of several it is called `.onnx`. */
function graphOf(named: readonly GivenFile[]): { file: GivenFile; others: GivenFile[] } {
  const graphs = named.length === 1 ? named : named.filter(({ name }) => name.endsWith('.onnx'));
  const [file, another] = graphs;
  if (named.length === 0) throw missingFile();
  if (file === undefined || another !== undefined) {
    const message = `The field "file" has ${graphs.length} ONNX files: send the graph there, and its weights in "data".`;
    throw wrong('/file', 'invalid', message);
  }
  return { file, others: named.filter((each) => each !== file) };
}

/** A name that leaves the folder of the graph, or hides in it, is no exporter's. */
function distinct(beside: readonly GivenFile[]): GivenFile[] {
  const names = new Set<string>();
  for (const { name } of beside) {
    if (!PLAIN_NAME.test(name) || name.endsWith('.onnx')) {
      const message = `The field "data" names ${JSON.stringify(name.slice(0, 100))}: send each file under the name that the graph calls it, such as best.onnx.data.`;
      throw wrong('/data', 'invalid', message);
    }
    if (names.has(name)) throw wrong('/data', 'invalid', `The form has ${name} twice.`);
    names.add(name);
  }
  return [...beside];
}

function missingFile(): AditError {
  return wrong('/file', 'missing', 'Send the model in the field "file".');
}

export function wrong(pointer: string, code: 'invalid' | 'missing', message: string): AditError {
  return new AditError('VALIDATION', message, { errors: [{ pointer, code, message }] });
}
