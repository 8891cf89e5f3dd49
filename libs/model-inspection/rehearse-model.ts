import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AditError, type ModelManifest } from '@adit/contracts';
import { MODEL_FAMILIES } from '@adit/inference';
import { z } from 'zod';
import { INSPECTION_LIMITS, runInspection, type InspectionLimits } from './inspect-model.js';

const Answer = z.union([
  z.object({ done: z.literal(true) }),
  z.object({
    refused: z.string(),
    errors: z.array(z.object({ pointer: z.string(), code: z.string(), message: z.string() })),
  }),
]);

/**
 * Runs a model as jobs will, in a separate process with limited time and memory, and reads its answers. Throws
 * VALIDATION, with the wrong answer of `adit model add`, for outputs that contradict its manifest; LIMIT_EXCEEDED.
 * @param folder has the graph as `model.onnx`, with related files beside it; absolute
 */
export async function rehearseModel(
  folder: string,
  manifest: ModelManifest,
  { limits = INSPECTION_LIMITS, signal }: { limits?: InspectionLimits; signal?: AbortSignal } = {},
): Promise<void> {
  if (MODEL_FAMILIES.find(manifest.family)?.read === undefined || manifest.input === undefined) return;
  const place = await mkdtemp(join(tmpdir(), 'adit-rehearsal-'));
  try {
    const file = join(place, 'manifest.json');
    await writeFile(file, JSON.stringify(manifest));
    const text = await runInspection('rehearse-process', [folder, file], { limits, signal });
    const answer = Answer.parse(JSON.parse(text));
    if ('refused' in answer) throw new AditError('VALIDATION', answer.refused, { errors: answer.errors });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
