import { describe, expect, it } from '@jest/globals';
import { isHelm4, moduleOf, program } from './programs.mjs';
import { schemaArguments, versions } from './schemas.mjs';

describe('the programs that prove a chart', () => {
  it('are those that go.sum names, by version and hash', () => {
    expect(moduleOf('k8s.io/kubernetes')).toEqual({
      module: 'k8s.io/kubernetes@v1.34.4',
      version: 'v1.34.4',
      sum: expect.stringMatching(/^h1:.{44}$/),
    });
    expect(() => moduleOf('k8s.io/none')).toThrow('go.sum of tools/kubernetes does not name k8s.io/none.');
  });

  it('has Helm 3, and Helm 4 where that is asked for', () => {
    expect(isHelm4('helm', {})).toBe(false);
    expect(isHelm4('helm', { ADIT_TEST_HELM: '4' })).toBe(true);
    expect(isHelm4('kubectl', { ADIT_TEST_HELM: '4' })).toBe(false);
    expect(() => isHelm4('helm', { ADIT_TEST_HELM: '2' })).toThrow('ADIT_TEST_HELM is "2"; it can be 3 or 4.');
  });

  it('says what there is where another is asked for', async () => {
    await expect(program('kubeadm')).rejects.toThrow(/^No program "kubeadm": there are helm, .*promtool\.$/);
    await expect(schemaArguments('v1.0')).rejects.toThrow(`No schemas of "v1.0": there are ${versions.join(', ')}.`);
  });
});
