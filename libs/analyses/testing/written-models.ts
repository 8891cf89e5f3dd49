import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModelRepository, SessionPool } from '@adit/inference';

/** Models in a folder of their own, and single-threaded sessions for them, so that sums have a fixed order. */
export interface WrittenModels {
  repository: ModelRepository;
  pool: SessionPool;
  close(): Promise<void>;
}

/**
 * Test helper: writes models into a folder as a user does, each with its manifest and graph. Close them in `afterAll`.
 */
export async function writtenModels(
  models: readonly { manifest: { name: string }; graph: Uint8Array }[],
): Promise<WrittenModels> {
  const root = await mkdtemp(join(tmpdir(), 'adit-models-'));
  for (const { manifest, graph } of models) {
    await mkdir(join(root, manifest.name, '1'), { recursive: true });
    await writeFile(join(root, manifest.name, '1/model.onnx'), graph);
    // JSON is valid YAML.
    await writeFile(join(root, manifest.name, 'model.yaml'), JSON.stringify(manifest));
  }
  const repository = await ModelRepository.open({ roots: [root], settleMs: 0 });
  const pool = new SessionPool({ onnx: { threads: 1 } });
  return {
    repository,
    pool,
    async close() {
      await pool.close();
      await repository.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}
