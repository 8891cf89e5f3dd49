import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { TextTokenizer } from '@adit/inference/families/text-embedding/tokenizer';
import { textOf } from '@adit/inference/labels';
import { tritonHints } from '@adit/inference/triton-config';
import { readHints } from './exporter-hints.js';
import { readOutline, type OnnxOutline } from './onnx-outline.js';
import { refused, shown } from './refusal.js';
import { SIDECARS, type SidecarFiles } from './sidecar-files.js';
import { propose, type Proposal } from './propose.js';
import { ProtobufFile } from './protobuf-file.js';
import { refuseTooNew } from './too-new.js';
import { tryGraph, type Trial } from './trial.js';
import { externalFiles, findNaN, type ExternalFile } from './weights.js';

/** Result of reading and running an ONNX file. */
export interface Inspection {
  /** Bytes of the graph's file. */
  size: number;
  /** Files with external weights. */
  external: ExternalFile[];
  outline: Omit<OnnxOutline, 'weights' | 'metadata'>;
  /** Name of the exporter, when its hints were found. */
  exporter: string | null;
  proposal: Proposal;
  trial: Trial;
  /** Path of a text model's `tokenizer.json`, relative to the graph's folder; null for other models. */
  tokenizer: string | null;
}

/** Operator domains that ONNX Runtime's own build supports. */
const DOMAINS = new Set([
  'com.microsoft',
  'com.microsoft.nchwc',
  'com.ms.internal.nhwc',
  'ai.onnx.ml',
  'ai.onnx.preview',
]);

/**
 * Reads a graph, checks it, runs it on noise, and identifies it by its shape and answers. Throws VALIDATION with a
 * sentence for the model's author. Run it in a separate process (`inspectModel`): it reads synchronously, and the run
 * is unlimited.
 */
export async function inspectHere(path: string): Promise<Inspection> {
  const file = new ProtobufFile(path);
  try {
    const outline = readOutline(file);
    refuseTooNew(outline);
    refuseCustomOperators(outline);
    refuseMaps(outline);
    const external = externalFiles(path, outline);
    const broken = findNaN(path, file, outline);
    if (broken !== null)
      throw refused(`The weight ${shown(broken)} holds NaN: the training went wrong, or the export.`);
    const beside = sidecars(dirname(path));
    const hints = readHints(outline, beside.files);
    const { trial, shown: seen } = await tryGraph(path, outline, hints);
    const proposal = propose(outline, hints, seen);
    const hasTokens = proposal.text !== null || proposal.writing !== null;
    const tokenizer = hasTokens ? usableTokenizer(beside) : null;
    const { weights: _weights, metadata: _metadata, ...rest } = outline;
    return { size: file.size, external, outline: rest, exporter: hints.exporter, proposal, trial, tokenizer };
  } finally {
    file.close();
  }
}

function refuseCustomOperators({ operators, functions }: OnnxOutline): void {
  const own = new Set(functions);
  const custom = Object.keys(operators).filter((name) => {
    const [domain, operator] = name.split(':');
    return operator !== undefined && !own.has(name) && !DOMAINS.has(domain ?? '');
  });
  if (custom.length === 0) return;
  const names = custom.slice(0, 5).map(shown).join(', ');
  throw refused(
    `It uses operators that no ONNX Runtime has by itself: ${names}${custom.length > 5 ? ' and others' : ''}. Export it with standard operators.`,
  );
}

/** scikit-learn's classifiers answer a list of maps by default, which is no tensor. */
function refuseMaps({ operators, outputs }: OnnxOutline): void {
  if (operators['ai.onnx.ml:ZipMap'] === undefined) return;
  const maps = outputs.filter(({ type }) => type === null).map(({ name }) => shown(name));
  throw refused(
    `Its output ${maps.join(' and ')} is a list of maps (ZipMap) and no tensor: convert it with options={id(model): {'zipmap': False}} of skl2onnx.`,
  );
}

interface Sidecars {
  files: SidecarFiles;
  /** Path of each file, relative to the graph's folder. */
  at: Readonly<Record<string, string>>;
}

/**
 * Reads files beside the graph; for a graph in a folder `onnx`, as in Hugging Face's layout, or in that of a version,
 * as in Triton's, also those in the parent folder. The labels file that `config.pbtxt` names becomes `labels.txt`.
 * Throws VALIDATION for files that are too large, and for missing labels.
 */
export function sidecars(folder: string): Sidecars {
  const files: Record<string, string> = {};
  const at: Record<string, string> = {};
  const take = (name: string, place: string, most = 0): boolean => {
    const path = join(folder, place);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile() !== true) return false;
    if (found.size > most) throw refused(`${name} beside the graph has ${found.size} bytes; at most ${most} are read.`);
    files[name] = textOf(readFileSync(path), `${name} beside the graph`);
    at[name] = place;
    return true;
  };
  const isBelow = /^(onnx|[1-9]\d{0,8})$/.test(basename(folder));
  for (const [name, most] of Object.entries(SIDECARS)) {
    const places = isBelow ? [name, join('..', name)] : [name];
    places.some((place) => take(name, place, most));
  }
  const { 'config.pbtxt': config, 'labels.txt': labels } = files;
  const labelsFile = config === undefined || labels !== undefined ? null : tritonHints(config).labelsFile;
  if (labelsFile !== null) {
    const place = join(dirname(at['config.pbtxt'] ?? ''), labelsFile);
    const isBeside = basename(labelsFile) === labelsFile && take('labels.txt', place, SIDECARS['labels.txt']);
    if (!isBeside) throw refused(`label_filename ${shown(labelsFile)} is no file beside config.pbtxt.`);
  }
  return { files, at };
}

/** Reads the tokenizer and encodes a text, as jobs will. */
function usableTokenizer({ files, at }: Sidecars): string {
  const file = files['tokenizer.json'];
  const place = at['tokenizer.json'];
  if (file === undefined || place === undefined) {
    throw refused(
      'It takes tokens, and no tokenizer.json lies beside it: save_pretrained() of a fast tokenizer writes one.',
    );
  }
  const tokenizer = TextTokenizer.read(Buffer.from(file));
  const tokens = tokenizer.encode('a photo of a cat', 64);
  if (tokens.length === 0 || tokenizer.text(tokens) === '')
    throw refused('tokenizer.json makes no tokens of "a photo of a cat".');
  return place;
}
