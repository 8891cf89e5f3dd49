import { analysesFolder } from '@adit/analyses';
import { AditError, frameSide, type Json } from '@adit/contracts';
import { AnalysisRegistry, AnalysisRunner, inferFile, ModelRepository, SessionPool } from '@adit/inference';
import type { CliSettings } from '../../settings.js';

/** Result of a photo for a gallery. */
export interface PhotoOutcome {
  /** L2-normalised; null when the photo cannot be used. */
  embedding: Float32Array | null;
  /** Why it cannot be used, or what to know of it. */
  remark: string | null;
}

/** Looking at photos for one kind of gallery. */
export interface PhotoInference {
  analysis: string;
  args?: Record<string, Json>;
  /** The network whose embeddings the gallery holds; where it is somebody's own, the family that it has to be of. */
  network: string;
  family?: string;
  /** Tells whether the analysis takes `side`, of a network that resizes as its exporter does. */
  sized?: true;
  read(observations: unknown): PhotoOutcome;
}

export interface EmbeddingNetwork {
  name: string;
  digest: string;
  /** Distance up to which two embeddings of a custom network are one person. */
  maxDistance?: number;
}

export interface PhotoEmbedder {
  network: EmbeddingNetwork;
  embed(file: string): Promise<PhotoOutcome>;
  close(): Promise<void>;
}

/**
 * Looks at photos with an analysis, exactly as a job does, so that a gallery is compared with what it was made like.
 * Throws MODEL_NOT_INSTALLED when the networks are missing.
 */
export async function openPhotoEmbedder(settings: CliSettings, inference: PhotoInference): Promise<PhotoEmbedder> {
  const { providers, inferenceThreads } = settings.inference;
  const repository = await ModelRepository.open({ roots: settings.modelRoots });
  const pool = new SessionPool({
    onnx: { providers, ...(inferenceThreads === undefined ? {} : { threads: inferenceThreads }) },
  });
  const analysis = (await AnalysisRegistry.scan(analysesFolder)).get(inference.analysis);
  const runner = new AnalysisRunner(repository, pool);
  const { pin, manifest } = repository.resolve(inference.network);
  if (inference.family !== undefined && manifest.family !== inference.family) {
    await repository.close();
    throw new AditError(
      'VALIDATION',
      `${pin.name} is no model of the family ${inference.family}: add it as one first.`,
    );
  }

  const side = inference.sized && manifest.input !== undefined ? frameSide(manifest.input) : null;
  const args = { ...inference.args, ...(side !== null && { side }) };

  const observe = async (file: string): Promise<unknown> => {
    for await (const { facts, observations } of inferFile({ runner, analysis, path: file, args })) {
      if (facts.kind !== 'image') break;
      return observations;
    }
    throw new AditError('MEDIA_INVALID', 'It is no picture.');
  };

  return {
    network: {
      name: pin.name,
      digest: pin.digest,
      ...(inference.family !== undefined &&
        manifest.maxDistance !== undefined && { maxDistance: manifest.maxDistance }),
    },
    async embed(file) {
      try {
        return inference.read(await observe(file));
      } catch (error) {
        const problem = AditError.from(error);
        // Only the photo's own faults are its own; a broken model is everyone's.
        if (problem.code !== 'MEDIA_INVALID' && problem.code !== 'LIMIT_EXCEEDED') throw error;
        return { embedding: null, remark: `not used: ${problem.message}` };
      }
    },
    async close() {
      await pool.close();
      await repository.close();
    },
  };
}
