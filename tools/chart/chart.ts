import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadAll } from 'js-yaml';
import { describe, it } from '@jest/globals';
import { program } from '../kubernetes/programs.mjs';
import { schemaFolder } from '../kubernetes/schemas.mjs';

const run = promisify(execFile);

export const chartFolder = join(import.meta.dirname, '../../helm/adit');

/** The oldest Kubernetes that the chart promises, that of the test bed, and the newest. */
export const KUBERNETES = ['1.31', '1.34', '1.37'];

/** Values files, alone or on top of another, as their comments say. */
export const INSTALLATIONS: Record<string, string[]> = {
  evaluation: ['evaluation'],
  small: ['small'],
  standard: ['standard'],
  'standard with GPUs': ['standard', 'gpu'],
  'small, air-gapped': ['small', 'air-gapped'],
  'standard with GPUs, air-gapped': ['standard', 'gpu', 'air-gapped'],
};

export const valuesFiles = readdirSync(join(chartFolder, 'values')).map((name) => name.replace('.yaml', ''));

export interface KubernetesObject {
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  spec: Record<string, unknown>;
  data?: Record<string, string>;
}

/** Runs one of the programs; throws with all that it said. */
export async function runProgram(name: string, args: string[], cwd = chartFolder): Promise<string> {
  try {
    const { stdout } = await run(await program(name), args, { cwd, maxBuffer: 64 * 1024 ** 2 });
    return stdout;
  } catch (error) {
    const { stdout, stderr, message } = error as { stdout?: string; stderr?: string; message: string };
    throw new Error([message, stdout, stderr].join('\n'), { cause: error });
  }
}

export function valuesArguments(values: string[]): string[] {
  return values.flatMap((name) => ['--values', join(chartFolder, 'values', `${name}.yaml`)]);
}

/** Returns the output of `helm template`; `more` are further arguments. */
export function render(values: string[], version: string, ...more: string[]): Promise<string> {
  const place = ['--namespace', 'media', '--kube-version', `${version}.0`, '--skip-tests=false'];
  return runProgram('helm', ['template', 'adit', '.', ...place, ...valuesArguments(values), ...more]);
}

export function objectsOf(rendered: string): KubernetesObject[] {
  return (loadAll(rendered) as (KubernetesObject | null)[]).filter((one) => one !== null);
}

/**
 * As `describe`; where a program can be had from nowhere, or `schemas` are asked for and are not to be had, the suite is skipped
 * and says why in its title.
 */
export async function describeWithPrograms(title: string, programs: string[], suite: () => void): Promise<void> {
  const missing: string[] = [];
  for (const name of programs) {
    await (name === 'schemas' ? schemaFolder() : program(name)).catch((error: Error) =>
      missing.push(`${name}: ${error.message}`),
    );
  }
  if (missing.length === 0) return describe(title, suite);
  describe(`${title} (skipped: ${missing.join('; ')})`, () => {
    it.skip('everything in it', () => undefined);
  });
}
