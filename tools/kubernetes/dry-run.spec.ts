import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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

  it('gets every key that "standard" reads from the secrets that docs/operating/kubernetes.md makes', async () => {
    const page = readFileSync(join(repositoryRoot, 'docs/operating/kubernetes.md'), 'utf8');
    const commands = page.split('\n').filter((line) => line.startsWith('kubectl -n adit create secret'));
    expectOk(
      await say('openssl', [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc', '-subj', '/CN=adit'],
        ...['-keyout', join(scratch, 'tls.key'), '-out', join(scratch, 'tls.crt')],
      ]),
    );
    writeFileSync(join(scratch, 'ca.crt'), readFileSync(join(scratch, 'tls.crt')));
    const shell = ['cd "$0"', ...commands].join('\n');
    const path = `${dirname(await program('kubectl'))}:${process.env['PATH']}`;
    expectOk(
      await say('sh', ['-e', '-c', shell, scratch], { ...process.env, PATH: path, KUBECONFIG: plane.kubeconfig }),
    );
    const { items } = JSON.parse(
      expectOk(await plane.kubectl('get', 'secrets', '--namespace', namespace, '-o=json')),
    ) as {
      items: { metadata: { name: string }; data: Record<string, string> }[];
    };
    const made = items.flatMap(({ metadata, data }) => Object.keys(data).map((key) => `${metadata.name} ${key}`));
    const rendered = await say(helm, ['template', 'adit', chart, '--values', join(values, 'standard.yaml')]);
    const read = new Set(secretKeys(loadAll(expectOk(rendered))));
    expect(read.size).toBeGreaterThan(10);
    expect([...read].filter((key) => !made.includes(key))).toEqual([]);
    // Nor is one made in vain.
    expect(made.filter((key) => !read.has(key))).toEqual([]);
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

type Node = Record<string, unknown>;

/** Secret and key of all that is read in objects, as `name key`. */
function secretKeys(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(secretKeys);
  if (typeof value !== 'object' || value === null) return [];
  const { secretKeyRef, secretTargetRef, secret, secretName, ...others } = value as Node;
  const named = (refs: unknown[]) => (refs as { name: string; key: string }[]).map(({ name, key }) => `${name} ${key}`);
  const { name, items = [] } = (secret ?? {}) as { name?: string; items?: { key: string }[] };
  return [
    ...named([secretKeyRef, secretTargetRef].flat().filter(Boolean)),
    ...items.map(({ key }) => `${name} ${key}`),
    // Certificates of an ingress.
    ...(secretName === undefined ? [] : ['tls.crt', 'tls.key'].map((key) => `${String(secretName)} ${key}`)),
    ...Object.values(others).flatMap(secretKeys),
  ];
}
