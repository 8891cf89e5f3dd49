import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AditError } from '@adit/contracts';
import { float16Graph, type ModelVersion } from '@adit/inference';
import type { InferenceConfig } from '@adit/inference-service';
import type { Finding } from './finding.js';

/** Findings about networks that are to calculate in float16; none if there are no such networks. */
export async function precisionFindings(
  networks: readonly Pick<ModelVersion, 'pin' | 'folder'>[],
  { float16Families: families, providers }: Pick<InferenceConfig, 'float16Families' | 'providers'>,
): Promise<Finding[]> {
  if (families.length === 0) return [];
  const wanted = `ADIT_FLOAT16_FAMILIES=${families.join(',')}`;
  if (providers.includes('cpu')) {
    const what = `the CPU calculates in float16 no faster (${wanted})`;
    return [{ state: 'bad', what, advice: 'Name GPUs alone in ADIT_PROVIDERS, or leave the families out.' }];
  }
  const kept: string[] = [];
  for (const { pin, folder } of networks) {
    try {
      float16Graph(await readFile(join(folder, 'model.onnx')));
    } catch (error) {
      kept.push(`${pin.name} version ${pin.version}: ${AditError.from(error).message}`);
    }
  }
  const can = networks.length - kept.length;
  const findings: Finding[] = [{ state: 'good', what: `networks that can calculate in float16: ${can} (${wanted})` }];
  if (kept.length > 0) {
    const what = `networks that stay in float32 as a whole: ${kept.length} (${kept.join('; ')})`;
    findings.push({ state: 'warning', what, advice: 'They work as before, no faster.' });
  }
  return findings;
}
