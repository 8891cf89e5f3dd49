import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { repositoryRoot } from '../setup/places.mjs';
import { expectOk, program, say, schemaFolder, startControlPlane } from './index.mjs';
import { everything, external } from './values.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'adit-dry-run-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const chart = join(repositoryRoot, 'helm/adit');
const values = join(chart, 'values');
/** Values files as they are to be used: some go on top of another. */
const files = readdirSync(values).map((name) => {
  const lower = readFileSync(join(values, name), 'utf8').startsWith('# On top of') ? ['standard.yaml'] : [];
  return [...lower, name];
});
const cases: [string, string[]][] = [
  ['values.yaml', [json('external', external)]],
  ['values.yaml with everything switched on', [json('everything', everything)]],
  ...files.map((names): [string, string[]] => [names.join(' and '), names.map((name) => join(values, name))]),
];
// Minutes of building, once; `npm test` has it done before.
const missing: string[] = [];
for (const name of ['etcd', 'kube-apiserver', 'kubectl', 'helm']) {
  await program(name).catch((error: Error) => missing.push(error.message));
}
// The add-ons' definitions are among them.
await schemaFolder().catch((error: Error) => missing.push(error.message));
const title = missing.length > 0 ? ` (skipped: ${missing[0]})` : '';
const suite = missing.length > 0 ? describe.skip : describe;

suite(`the chart on a real API server${title}`, () => {
  const namespace = 'adit';
  let plane: Awaited<ReturnType<typeof startControlPlane>>;
  let helm: string;

  beforeAll(async () => {
    helm = await program('helm');
    plane = await startControlPlane();
    const labels = Object.fromEntries(
      ['enforce', 'warn'].map((mode) => [`pod-security.kubernetes.io/${mode}`, 'restricted']),
    );
    expectOk(await plane.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } }]));
    // No controller makes it here.
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } };
    expectOk(await plane.apply([account]));
  });
  afterAll(() => plane.stop());

  it.each(cases)('accepts %s under PodSecurity "restricted", without a warning', async (_, given) => {
    const rendering = ['template', 'adit', chart, '--namespace', namespace];
    for (const file of given) rendering.push('--values', file);
    const text = expectOk(await say(helm, rendering));
    const documents = (loadAll(text) as { kind: string }[]).filter(Boolean);
    // Pods are only accepted where these are.
    const first = documents.filter(({ kind }) => ['ServiceAccount', 'PriorityClass'].includes(kind));
    expectOk(await plane.apply(first, '--namespace', namespace));
    const said = await plane.apply(documents, '--namespace', namespace, '--dry-run=server', '--validate=strict');
    expect({ ...said, stdout: '' }).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(said.stdout.trim().split('\n')).toHaveLength(documents.length);
  });

  it('refuses what the schema of Kubernetes does not know', async () => {
    const budget = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'adit-gateway', namespace },
      spec: { maxUnavailabel: 1, selector: { matchLabels: { app: 'gateway' } } },
    };
    const { code, stderr } = await plane.apply([budget], '--dry-run=server', '--validate=strict');
    expect(code).not.toBe(0);
    expect(stderr).toContain('unknown field "maxUnavailabel"');
  });
});

function json(name: string, content: object): string {
  const file = join(scratch, `${name}.json`);
  writeFileSync(file, JSON.stringify(content));
  return file;
}
