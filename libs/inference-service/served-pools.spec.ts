import { AnalysisRegistry, defineAnalysis } from '@adit/inference';
import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { checkPrecision } from './inference.module.js';
import { servedPools } from './served-pools.js';

const analyses = AnalysisRegistry.of(
  ['face', 'object', 'object', 'text'].map((family, i) =>
    defineAnalysis({
      name: `analysis-${i}`,
      family,
      version: 1,
      args: z.object({}),
      observations: z.object({}),
      models: [],
      input: { kind: 'frames', specs: () => [] },
      analyse: async () => ({}),
    }),
  ),
);

it('a process serves its own pool unless others are named', () => {
  expect(servedPools({ inferenceFamilies: undefined }, 'face', analyses)).toEqual(['face']);
  expect(servedPools({ inferenceFamilies: ['object', 'text', 'object'] }, 'face', analyses)).toEqual([
    'object',
    'text',
  ]);
});

it('a process refuses a pool without analyses', () => {
  expect(() => servedPools({ inferenceFamilies: ['face', 'faces'] }, 'face', analyses)).toThrow(
    'ADIT_INFERENCE_FAMILIES names faces; there are face, object, text.',
  );
});

it('a process refuses float16 for a pool that may run on the CPU', () => {
  const settings = { float16Families: ['face'], providers: ['cuda' as const, 'cpu' as const] };
  expect(() => checkPrecision(settings, 'face')).toThrow(
    'ADIT_FLOAT16_FAMILIES names face, but ADIT_PROVIDERS=cuda,cpu has the CPU',
  );
  expect(() => checkPrecision(settings, 'text')).not.toThrow();
  expect(() => checkPrecision({ ...settings, providers: ['cuda'] }, 'face')).not.toThrow();
});
