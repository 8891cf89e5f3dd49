import { analysesFolder, FaceObservations } from '@adit/analyses';
import { AditError } from '@adit/contracts';
import { AnalysisRegistry, AnalysisRunner, lookAtFile, ModelRepository, SessionPool } from '@adit/inference';
import type { CliSettings } from './settings.js';

/** The network whose embeddings galleries hold. */
const EMBEDDING_NETWORK = 'face-embedding';

export interface PhotoOutcome {
  faces: number;
  /** Of the largest face, L2-normalised; null when there is none good enough. */
  embedding: Float32Array | null;
  /** Why the photo could not be read. */
  error: string | null;
}

export interface PhotoEmbedder {
  network: { name: string; digest: string };
  embed(file: string): Promise<PhotoOutcome>;
  close(): Promise<void>;
}

/**
 * Looks at photos with the analysis `faces`, exactly as a job does, so that a gallery is compared with what it was made
 * like. Throws MODEL_NOT_INSTALLED when the networks are missing.
 */
export async function openPhotoEmbedder(settings: CliSettings): Promise<PhotoEmbedder> {
  const { providers, inferenceThreads } = settings.inference;
  const repository = await ModelRepository.open({ roots: settings.modelRoots });
  const pool = new SessionPool({
    onnx: { providers, ...(inferenceThreads === undefined ? {} : { threads: inferenceThreads }) },
  });
  const analysis = (await AnalysisRegistry.scan(analysesFolder)).get('faces');
  const runner = new AnalysisRunner(repository, pool);
  const { pin } = repository.resolve(EMBEDDING_NETWORK);

  const observe = async (file: string): Promise<FaceObservations> => {
    for await (const { facts, observations } of lookAtFile({ runner, analysis, path: file })) {
      if (facts.kind !== 'image') break;
      return FaceObservations.parse(observations);
    }
    throw new AditError('MEDIA_INVALID', 'It is no picture.');
  };

  return {
    network: { name: pin.name, digest: pin.digest },
    async embed(file) {
      try {
        const { tracks } = await observe(file);
        const sizeOf = (track: (typeof tracks)[number]) =>
          Math.max(...track.sightings.map((sighting) => sighting.size));
        const [largest] = [...tracks].sort((a, b) => sizeOf(b) - sizeOf(a));
        const view = largest?.views[0];
        return { faces: tracks.length, embedding: view === undefined ? null : floats(view.embedding), error: null };
      } catch (error) {
        const problem = AditError.from(error);
        // Only the photo's own faults are its own; a broken model is everyone's.
        if (problem.code !== 'MEDIA_INVALID' && problem.code !== 'LIMIT_EXCEEDED') throw error;
        return { faces: 0, embedding: null, error: problem.message };
      }
    },
    async close() {
      await pool.close();
      await repository.close();
    },
  };
}

/** Little-endian float32 in base64. */
function floats(base64: string): Float32Array {
  const bytes = Buffer.from(base64, 'base64');
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
