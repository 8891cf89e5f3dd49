import {
  AditError,
  AUDIO_DECODER_VERSION,
  DECODER_VERSION,
  digestOf,
  type InputKind,
  type InputSpecs,
  type Json,
  type ModelPin,
} from '@adit/contracts';
import { scanFolder } from '@adit/runtime/scan-folder';
import type { AnalysisDefinition, AnalysisIdentity } from './analysis.js';
import { FLOAT16_VERSION } from '../graph/float16-rules.js';

/** Registry of the analyses found in a folder. */
export class AnalysisRegistry {
  private constructor(private readonly byName: ReadonlyMap<string, AnalysisDefinition>) {}

  /**
   * Imports `<folder>/<name>/analysis.ts` (from source) or `.js` (when built) of every subfolder that has one; the
   * default export is the definition. Throws INTERNAL when a definition's name differs from its folder.
   */
  static async scan(folder: string): Promise<AnalysisRegistry> {
    const byName = new Map<string, AnalysisDefinition>();
    for (const { name, file, definition } of await scanFolder<AnalysisDefinition>(folder, 'analysis')) {
      if (definition?.name !== name) {
        throw new AditError('INTERNAL', `${file} must export by default an analysis named ${name}.`);
      }
      byName.set(name, definition);
    }
    return new AnalysisRegistry(byName);
  }

  static of(definitions: AnalysisDefinition[]): AnalysisRegistry {
    return new AnalysisRegistry(new Map(definitions.map((definition) => [definition.name, definition])));
  }

  /** Throws NOT_FOUND for an unknown name. */
  get(name: string): AnalysisDefinition {
    const definition = this.byName.get(name);
    if (definition) return definition;
    throw new AditError('NOT_FOUND', `There is no analysis ${name}; there are ${[...this.byName.keys()].join(', ')}.`);
  }

  all(): AnalysisDefinition[] {
    return [...this.byName.values()];
  }
}

/** Returns the names of the networks that an analysis runs with parsed arguments. */
export function modelsOf({ models }: AnalysisDefinition, args: unknown): readonly string[] {
  return typeof models === 'function' ? models(args) : models;
}

const DECODERS: Record<InputKind, number> = { frames: DECODER_VERSION, audio: AUDIO_DECODER_VERSION };

/** Returns the identity of a run in this build, for parsed arguments and input of that decoder version. */
export function identityOf(
  definition: AnalysisDefinition,
  args: unknown,
  models: ModelPin[],
  decoder: number = DECODERS[definition.input.kind],
): AnalysisIdentity {
  const { name: analysis, version, input } = definition;
  // Omitted for float32, so that observations from before float16 keep their digest.
  const half = models.some(({ precision }) => precision === 'float16') ? { float16: FLOAT16_VERSION } : {};
  // Arguments come from JSON, and their schema keeps them JSON.
  const identity = { analysis, version, args: args as Json, models, ...half };
  // The kind determines their type, which the common type of definitions cannot express.
  const wanted = { kind: input.kind, specs: input.specs(args) } as InputSpecs;
  switch (wanted.kind) {
    case 'frames':
      return { ...identity, frames: wanted.specs.map((spec) => (decoder === 1 ? spec : { ...spec, decoder })) };
    case 'audio':
      return { ...identity, frames: [], audio: wanted.specs.map((spec) => ({ ...spec, decoder })) };
  }
}

/** Digest that is equal for two runs exactly when they must give the same observations of the same media. */
export function analysisDigest(identity: AnalysisIdentity): string {
  return digestOf(identity);
}
