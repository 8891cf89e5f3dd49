/** All models of the catalogue, converted into a folder of their own and opened when first used, for the specs. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ModelManifest, type ImageInput } from '@adit/contracts';
import type { InferenceSession } from 'onnxruntime-node';
import { load } from 'js-yaml';
import { modelsRoot } from '../catalogue.js';
import type { InstalledModel } from '../install.js';
import { openSession, run, type NamedArrays } from './onnx-run.js';

export async function readManifest(name: string): Promise<ModelManifest> {
  return ModelManifest.parse(load(await readFile(join(modelsRoot(), name, 'model.yaml'), 'utf8')));
}

export class ModelSet {
  private readonly sessions = new Map<string, Promise<InferenceSession>>();

  constructor(private readonly installed: readonly InstalledModel[]) {}

  session(name: string): Promise<InferenceSession> {
    const known = this.sessions.get(name) ?? this.open(name);
    this.sessions.set(name, known);
    return known;
  }

  async input(name: string): Promise<ImageInput> {
    const { input } = await readManifest(name);
    if (input === undefined) throw new Error(`${name} says nothing of its input`);
    return input;
  }

  /** Runs rows laid end to end, each of the manifest's input size. */
  async run(name: string, rows: Float32Array): Promise<NamedArrays> {
    const input = await this.input(name);
    const row = shapeOf(input);
    const batch = rows.length / row.reduce((size, dim) => size * dim, 1);
    return run(await this.session(name), rows, [batch, ...row]);
  }

  private async open(name: string): Promise<InferenceSession> {
    const model = this.installed.find((candidate) => candidate.name === name);
    if (model === undefined) throw new Error(`${name} is not installed`);
    return openSession(await readFile(model.path));
  }
}

/** The axes after the batch. */
export function shapeOf({ layout, colour, width, height }: ImageInput): number[] {
  const channels = colour === 'grey' ? 1 : 3;
  return layout === 'nchw' ? [channels, height, width] : [height, width, channels];
}
