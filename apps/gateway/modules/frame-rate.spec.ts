import { AnalysisRegistry, FRAMES_PER_SECOND, ModelRepository } from '@adit/inference';
import { JobRequest } from '@adit/contracts';
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

/** Of what a job's modules look at, by analysis. */
async function ratesWith(environment: Record<string, string>): Promise<Record<string, number[]>> {
  const { app, workspaceId } = gateway;
  const resolver = new RequestResolver(
    app.get(ModuleRegistry, { strict: false }),
    app.get(ModelRepository, { strict: false }),
    app.get(AnalysisRegistry, { strict: false }),
    app.get(ServedModels, { strict: false }),
    app.get(Models, { strict: false }),
    loadConfig(GatewayConfig, environment),
  );
  const modules = { face_recognition: { cluster_unknowns: true }, object_scene_recognition: {} };
  const request = JobRequest.parse({ sources: ['https://example.org/film.mp4'], modules });
  const resolved = await resolver.resolve(workspaceId, request);
  const analyses = resolved.flatMap((module) => module.analyses);
  return Object.fromEntries(analyses.map(({ analysis, frames }) => [analysis, frames.map(({ rate }) => rate)]));
}

describe('ADIT_FRAMES_PER_SECOND', () => {
  it('is how often new jobs look at a film', async () => {
    expect(await ratesWith({ ADIT_FRAMES_PER_SECOND: '5' })).toEqual({ faces: [5, 5], objects: [5] });
  });

  it('may be left out', async () => {
    expect(FRAMES_PER_SECOND).toBe(2);
    expect(await ratesWith({})).toEqual({ faces: [2, 2], objects: [2] });
  });
});
