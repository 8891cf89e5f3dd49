import { AditError, type ImageInput, type ModelManifest } from '@adit/contracts';
import type { ExporterHints } from '../families/graph.js';

/** A message of protobuf's text format: every field may repeat, so each holds a list. */
type TextMessage = Map<string, TextValue[]>;
type TextValue = string | number | boolean | TextMessage;

/**
 * Parses protobuf's text format as far as Triton's `config.pbtxt` uses it: scalars, enums, nested messages, lists,
 * comments. Throws VALIDATION with the offending place.
 */
export function parseTextProto(text: string): TextMessage {
  const tokens = tokenise(text);
  let at = 0;

  const fail = (wanted: string): never => {
    const token = tokens[at];
    throw new AditError(
      'VALIDATION',
      `config.pbtxt: expected ${wanted}, found ${token?.text ?? 'the end'} in line ${token?.line ?? '?'}.`,
    );
  };
  const take = (): Token => tokens[at++] ?? fail('a value');

  const value = (): TextValue => {
    if (tokens[at]?.text === '{' || tokens[at]?.text === '<') return message(take().text === '{' ? '}' : '>');
    const token = take();
    if (token.kind === 'string') {
      let text = token.text;
      while (tokens[at]?.kind === 'string') text += take().text;
      return text;
    }
    if (token.kind !== 'word') return fail('a value');
    if (token.text === 'true' || token.text === 'false') return token.text === 'true';
    const number = Number(token.text);
    return Number.isNaN(number) ? token.text : number;
  };

  const message = (end: string | null): TextMessage => {
    const fields: TextMessage = new Map();
    for (let next = tokens[at]; next !== undefined && next.text !== end; next = tokens[at]) {
      const name = take();
      if (name.kind !== 'word') fail('a field name');
      const list = fields.get(name.text) ?? [];
      fields.set(name.text, list);
      const colon = tokens[at]?.text === ':';
      if (colon) at++;
      if (tokens[at]?.text === '[') {
        at++;
        while (tokens[at]?.text !== ']') {
          list.push(value());
          if (tokens[at]?.text === ',') at++;
          else if (tokens[at]?.text !== ']') fail('"," or "]"');
        }
        at++;
      } else {
        if (!colon && tokens[at]?.text !== '{' && tokens[at]?.text !== '<') fail('":"');
        list.push(value());
      }
      if (tokens[at]?.text === ',' || tokens[at]?.text === ';') at++;
    }
    if (end !== null) {
      if (tokens[at]?.text !== end) fail(`"${end}"`);
      at++;
    }
    return fields;
  };

  return message(null);
}

interface Token {
  kind: 'word' | 'string' | 'mark';
  text: string;
  line: number;
}

function tokenise(text: string): Token[] {
  const tokens: Token[] = [];
  const pattern = /(\n)|([ \t\r]+|#[^\n]*)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|([{}[\]<>:,;])|([\w.+-]+)|([^])/g;
  let line = 1;
  for (const match of text.matchAll(pattern)) {
    if (match[1]) line++;
    else if (match[3]) tokens.push({ kind: 'string', text: match[3].slice(1, -1).replace(/\\(.)/g, unescape), line });
    else if (match[4]) tokens.push({ kind: 'mark', text: match[4], line });
    else if (match[5]) tokens.push({ kind: 'word', text: match[5], line });
    else if (match[6])
      throw new AditError('VALIDATION', `config.pbtxt: unexpected ${JSON.stringify(match[6])} in line ${line}.`);
  }
  return tokens;
}

function unescape(_: string, letter: string): string {
  return { n: '\n', t: '\t', r: '\r' }[letter] ?? letter;
}

/** A Triton configuration, converted to Adit's manifest. */
interface TritonModel {
  manifest: ModelManifest;
  /** Name of the labels file in the model's folder, if an output names one. */
  labelsFile: string | null;
  /** Versions its policy serves; null for all. */
  versions: number[] | null;
}

/**
 * Reads Triton's model configuration (`ModelConfig` of model_config.proto). A four-dimensional picture input becomes
 * the manifest's `input`; mean, std and colour order may stand in `parameters` under those keys, since Triton has no
 * fields for them. Throws VALIDATION for models that cannot run on ONNX Runtime.
 */
export function readTritonConfig(text: string, folder: string): TritonModel {
  const config = parseTextProto(text);
  const platform = string(config, 'platform') ?? string(config, 'backend') ?? 'onnxruntime';
  if (platform !== 'onnxruntime_onnx' && platform !== 'onnxruntime') {
    throw new AditError('VALIDATION', `config.pbtxt: ${platform} is not ONNX Runtime; export the model to model.onnx.`);
  }
  const maxBatch = number(config, 'max_batch_size') ?? 0;
  const parameters = parametersOf(config);
  const outputs = messages(config, 'output');
  const policy = messages(config, 'version_policy')[0];
  const specific = policy && messages(policy, 'specific')[0];
  const listed = specific?.get('versions')?.filter((version) => typeof version === 'number');
  return {
    manifest: {
      name: string(config, 'name') ?? folder,
      kind: 'network',
      task: parameters.get('task') ?? 'custom',
      description: parameters.get('description') ?? '',
      maxBatch: Math.max(1, maxBatch),
      input: pictureInput(messages(config, 'input'), maxBatch, parameters),
      licence: parameters.get('licence') ?? 'unknown',
      origin: parameters.get('origin') ?? 'Triton model repository',
      modules:
        parameters
          .get('modules')
          ?.split(',')
          .map((name) => name.trim()) ?? [],
      isDefault: false,
      sha256: {},
    },
    labelsFile: outputs.map((output) => string(output, 'label_filename')).find((name) => name) ?? null,
    versions: listed ?? null,
  };
}

/** Hints of Triton's configuration for a graph that is to be added; null means unspecified. */
interface TritonHints extends Pick<ExporterHints, 'width' | 'height' | 'colour' | 'mean' | 'std' | 'maxBatch'> {
  labelsFile: string | null;
}

/**
 * Reads the same configuration as hints for inspecting a graph: missing values stay open and do not become Triton's
 * defaults. Throws VALIDATION for models that cannot run on ONNX Runtime, and for an invalid `colour`, `mean` or `std`.
 */
export function tritonHints(text: string): TritonHints {
  const { manifest, labelsFile } = readTritonConfig(text, 'model');
  const parameters = parametersOf(parseTextProto(text));
  const colour = parameters.get('colour') ?? null;
  if (colour !== null && colour !== 'rgb' && colour !== 'bgr' && colour !== 'grey') {
    throw new AditError(
      'VALIDATION',
      `config.pbtxt: the colour ${JSON.stringify(colour)} is none of rgb, bgr and grey.`,
    );
  }
  const numbers = (key: string): number[] | null => {
    const value = parameters.get(key);
    if (value === undefined) return null;
    const list = value.split(/[\s,]+/).map((part) => (part === '' ? NaN : Number(part)));
    if (list.every(Number.isFinite) && (list.length === 1 || list.length === 3)) return list;
    throw new AditError('VALIDATION', `config.pbtxt: ${key} ${JSON.stringify(value)} is neither one number nor three.`);
  };
  return {
    ...{ width: manifest.input?.width ?? null, height: manifest.input?.height ?? null },
    ...{ colour: colour === 'grey' ? null : colour, mean: numbers('mean'), std: numbers('std') },
    ...{ maxBatch: manifest.maxBatch, labelsFile },
  };
}

function parametersOf(config: TextMessage): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const entry of messages(config, 'parameters')) {
    const held = messages(entry, 'value')[0];
    const key = string(entry, 'key');
    if (key && held) parameters.set(key, string(held, 'string_value') ?? '');
  }
  return parameters;
}

function pictureInput(
  inputs: TextMessage[],
  maxBatch: number,
  parameters: Map<string, string>,
): ImageInput | undefined {
  const [input] = inputs;
  if (inputs.length !== 1 || !input) return undefined;
  const all = (input.get('dims') ?? []).filter((dim) => typeof dim === 'number');
  const [first = 0, second = 0, third = 0, ...more] = maxBatch === 0 && all.length === 4 ? all.slice(1) : all;
  const tensor = string(input, 'name');
  if (!tensor || !(first > 0 && second > 0 && third > 0) || more.length > 0) return undefined;
  const format = string(input, 'format');
  const last = format === 'FORMAT_NHWC' || (format !== 'FORMAT_NCHW' && first > 4 && third <= 4);
  const [height, width, channels] = last ? [first, second, third] : [second, third, first];
  const numbers = (key: string, otherwise: number): number[] =>
    parameters
      .get(key)
      ?.split(/[\s,]+/)
      .map(Number) ?? [otherwise];
  return {
    tensor,
    width,
    height,
    layout: last ? 'nhwc' : 'nchw',
    colour: channels === 1 ? 'grey' : parameters.get('colour') === 'bgr' ? 'bgr' : 'rgb',
    mean: numbers('mean', 0),
    std: numbers('std', 1),
  };
}

function messages(message: TextMessage, field: string): TextMessage[] {
  return (message.get(field) ?? []).filter((value): value is TextMessage => value instanceof Map);
}

function string(message: TextMessage, field: string): string | undefined {
  const value = message.get(field)?.[0];
  return typeof value === 'string' ? value : undefined;
}

function number(message: TextMessage, field: string): number | undefined {
  const value = message.get(field)?.[0];
  return typeof value === 'number' ? value : undefined;
}
