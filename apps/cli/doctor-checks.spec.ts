import { expect, it } from '@jest/globals';
import { memoryFinding, providerFindings, pulledModels } from './doctor-checks.js';

const GIB = 1024 ** 3;

it('reads the limit of a control group of either version, and does without one', () => {
  const machine = 64 * GIB;
  expect(memoryFinding({ limit: GIB, machine, available: 0.5 * GIB })).toMatchObject({
    state: 'warning',
    what: 'memory: 0.5 GiB free of 1.0 GiB',
  });
  // What version 1 says where nothing is limited, and what Node says where there are no control groups.
  for (const limit of [2 ** 63 - 4096, 0]) {
    expect(memoryFinding({ limit, machine, available: 40 * GIB })).toEqual({
      state: 'good',
      what: 'memory: 40.0 GiB free of 64.0 GiB',
    });
  }
});

it('says what was not pulled, what it would add and how it comes', async () => {
  const findings = await pulledModels({ modelRoots: ['/nowhere'], userModels: '/nowhere' });
  expect(findings.map(({ state, what }) => [state, what.split(' ')[0]])).toEqual([
    ['warning', 'whisper-base'],
    ['warning', 'pp-ocrv6'],
  ]);
  expect(findings[1]).toMatchObject({
    what: expect.stringContaining('reads captions'),
    advice: expect.stringMatching(/^adit model pull pp-ocrv6 \(Apache-2\.0, 27 MB\)/),
  });
});

it('says that nothing can be run, and why, where the only provider does not work', async () => {
  expect(await providerFindings('model.onnx', ['cuda'])).toEqual([
    {
      state: 'bad',
      what: 'no model can be run (ADIT_PROVIDERS=cuda)',
      advice: expect.stringMatching(/^model\.onnx cannot be loaded \(cuda: /),
    },
  ]);
});
