/** @jest-environment <rootDir>/models/testing/onnx-environment.mjs */
import { AnalysisRegistry, defineAnalysis } from '@adit/inference';
import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { servedFamilies } from './served-families.js';

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

it('serves its own family unless others are named', () => {
  expect(servedFamilies({ inferenceFamilies: undefined }, 'face', analyses)).toEqual(['face']);
  expect(servedFamilies({ inferenceFamilies: ['object', 'text', 'object'] }, 'face', analyses)).toEqual([
    'object',
    'text',
  ]);
});

it('refuses a family that no analysis is of', () => {
  expect(() => servedFamilies({ inferenceFamilies: ['face', 'faces'] }, 'face', analyses)).toThrow(
    'ADIT_INFERENCE_FAMILIES names faces; there are face, object, text.',
  );
});
