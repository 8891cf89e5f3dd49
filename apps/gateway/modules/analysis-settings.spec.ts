/** @needs weights, build */
import { AnalysisRegistry, FRAMES_PER_SECOND, ModelRepository } from '@adit/inference';
import { JobRequest } from '@adit/contracts';
import type { ResolvedAnalysis } from '@adit/jobs';
import { ModuleRegistry } from '@adit/module-kit';
import { loadConfig } from '@adit/runtime';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayConfig } from '../config.js';
import { Models } from '../models/models.js';
import { ServedModels } from '../models/served-models.js';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';
import { RequestResolver } from './resolve-request.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
}, BOOT_MS);
afterAll(() => gateway?.close());

function resolverWith(environment: Record<string, string>): RequestResolver {
  const { app } = gateway;
  return new RequestResolver(
    app.get(ModuleRegistry, { strict: false }),
    app.get(ModelRepository, { strict: false }),
    app.get(AnalysisRegistry, { strict: false }),
    app.get(ServedModels, { strict: false }),
    app.get(Models, { strict: false }),
    loadConfig(GatewayConfig, environment),
  );
}

/** Returns the analyses that a job's modules need. */
async function analysesWith(environment: Record<string, string>): Promise<ResolvedAnalysis[]> {
  const modules = { face_recognition: { cluster_unknowns: true }, object_scene_recognition: {} };
  const request = JobRequest.parse({ sources: ['https://example.org/film.mp4'], modules });
  const resolved = await resolverWith(environment).resolve(gateway.workspaceId, request);
  return resolved.flatMap((module) => module.analyses);
}

/** The rates of their pictures, by analysis. */
async function ratesWith(environment: Record<string, string>): Promise<Record<string, number[]>> {
  const analyses = await analysesWith(environment);
  return Object.fromEntries(analyses.map(({ analysis, frames }) => [analysis, frames.map(({ rate }) => rate)]));
}

describe('ADIT_FRAMES_PER_SECOND', () => {
  it('new jobs analyse films at this rate', async () => {
    expect(await ratesWith({ ADIT_FRAMES_PER_SECOND: '5' })).toEqual({ faces: [5, 5], objects: [5] });
  });

  it('the setting may be left out', async () => {
    expect(FRAMES_PER_SECOND).toBe(2);
    expect(await ratesWith({})).toEqual({ faces: [2, 2], objects: [2] });
  });
});

describe('ADIT_FLOAT16_FAMILIES', () => {
  it('networks of new jobs in these families use float16, and results of float32 are not reused', async () => {
    const [full, half] = [await analysesWith({}), await analysesWith({ ADIT_FLOAT16_FAMILIES: 'face' })];
    const precisionOf = (name: string) =>
      half.find(({ analysis }) => analysis === name)?.models.map(({ precision }) => precision);
    expect(new Set(precisionOf('faces'))).toEqual(new Set(['float16']));
    expect(new Set(precisionOf('objects'))).toEqual(new Set([undefined]));
    const known = new Set(full.map(({ digest }) => digest));
    expect(half.filter(({ digest }) => known.has(digest)).map(({ analysis }) => analysis)).toEqual(['objects']);
  });

  it('families of the setting have to exist', () => {
    expect(() => resolverWith({ ADIT_FLOAT16_FAMILIES: 'faces' })).toThrow(
      /^ADIT_FLOAT16_FAMILIES names faces; there are face, landmark, /,
    );
  });
});
