import { TOKENIZER_LIMITS } from '@adit/inference/families/text-embedding/tokenizer';
import type { z } from 'zod';
import { refused } from './refusal.js';

/** Text of files beside the graph, by name. */
export type SidecarFiles = Readonly<Record<string, string>>;

/** Files beside the graph that are read for hints, with their size limits in bytes. */
export const SIDECARS: Readonly<Record<string, number>> = {
  'config.json': 1_048_576,
  'config.pbtxt': 65_536,
  'generation_config.json': 65_536,
  'preprocessor_config.json': 65_536,
  'processor_config.json': 262_144,
  'labels.txt': 1_048_576,
  'charset.txt': 1_048_576,
  'inference.yml': 2_097_152,
  'tokenizer.json': TOKENIZER_LIMITS.bytes,
};

/** Reads a JSON file; null without one. Throws VALIDATION when it is not as the exporter writes it. */
export function readSidecar<T>(files: SidecarFiles, name: string, schema: z.ZodType<T>): T | null {
  const text = files[name];
  if (text === undefined) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refused(`${name} beside the graph is not JSON: mend it, or take it away.`);
  }
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw refused(`${name} beside the graph is not as exporters write it (${issue?.path.join('.')}: ${issue?.message}).`);
}
