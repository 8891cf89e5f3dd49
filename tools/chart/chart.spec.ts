import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { schemaArguments } from '../kubernetes/schemas.mjs';
import {
  chartFolder,
  describeWithPrograms,
  INSTALLATIONS,
  KUBERNETES,
  objectsOf,
  render,
  runProgram,
  valuesArguments,
  valuesFiles,
  type KubernetesObject,
} from './chart.js';
import { serviceNames } from '../stack/stack.mjs';

const folder = mkdtempSync(join(tmpdir(), 'adit-chart-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface PodSpec {
  containers: { env?: { name: string }[]; args?: string[]; image: string }[];
  initContainers?: { image: string }[];
}

/** Every pod that the objects make, with what makes it. */
function pods(objects: KubernetesObject[]): { owner: string; spec: PodSpec }[] {
  return objects.flatMap(({ kind, metadata, spec }) => {
    const owner = `${kind} ${metadata.name}`;
    if (kind === 'Pod') return [{ owner, spec: spec as unknown as PodSpec }];
    const job = (spec?.['jobTemplate'] as { spec?: object } | undefined)?.spec ?? spec;
    const template = (job as { template?: { spec: PodSpec } } | undefined)?.template;
    return template === undefined ? [] : [{ owner, spec: template.spec }];
  });
}

await describeWithPrograms('the objects of the chart', ['helm', 'kubeconform', 'schemas'], () => {
  const places = Object.entries(INSTALLATIONS).flatMap(([name, values]) =>
    KUBERNETES.map((version) => [name, version, values] as const),
  );
  it.each(places)('%s is what Kubernetes %s and its add-ons know, to the last field', async (name, version, values) => {
    const file = join(folder, `${name}-${version}.yaml`);
    writeFileSync(file, await render([...values], version));
    const said = await runProgram('kubeconform', [
      ...['-strict', '-summary', ...(await schemaArguments(`v${version}`))],
      file,
    ]);
    expect(said).toMatch(/Valid: [1-9]\d+, Invalid: 0, Errors: 0, Skipped: 0/);
  });
});

await describeWithPrograms('the chart', ['helm', 'helm-unittest'], () => {
  it('has every values file in an installation', () => {
    expect([...new Set(Object.values(INSTALLATIONS).flat())].sort()).toEqual([...valuesFiles].sort());
  });

  it.each(Object.entries(INSTALLATIONS))('%s is without a fault to helm lint', async (_, values) => {
    const said = await runProgram('helm', [
      'lint',
      '--strict',
      '--kube-version',
      '1.34.0',
      '.',
      ...valuesArguments(values),
    ]);
    expect(said).toContain('1 chart(s) linted, 0 chart(s) failed');
  });

  it('keeps what its unit tests say', async () => {
    const said = await runProgram('helm-unittest', ['.']);
    expect(Number(/^Tests: +(\d+) passed, \1 total/m.exec(said)?.[1])).toBeGreaterThanOrEqual(60);
  });

  it('starts every service, by the program that the build makes of it', async () => {
    const objects = objectsOf(await render(['small'], '1.34'));
    const programs = objects
      .filter(({ kind }) => kind === 'Deployment')
      .flatMap((deployment) => pods([deployment]))
      .map(({ spec }) => /^apps\/([a-z-]+)\/dist\/main\.js$/.exec(spec.containers[0]!.args![1]!)?.[1]);
    expect(programs.sort()).toEqual(serviceNames());
  });

  it.each(Object.entries(INSTALLATIONS))('%s sets only what is a setting', async (_, values) => {
    const page = readFileSync(join(chartFolder, '../../docs/reference/configuration.md'), 'utf8');
    const settings = new Set([...page.matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(([, name]) => name));
    // Variables that other software reads: the NVIDIA runtime, OpenTelemetry, Node and pip.
    const foreign = /^(NVIDIA_|OTEL_|NODE_EXTRA_CA_CERTS$|PIP_INDEX_URL$)/;
    const ours = pods(objectsOf(await render(values, '1.34'))).filter(({ spec }) =>
      /adit(:|@|$)/.test(spec.containers[0]!.image.split('/').at(-1)!),
    );
    expect(ours.length).toBeGreaterThan(5);
    const unknown = ours.flatMap(({ owner, spec }) =>
      spec.containers
        .flatMap(({ env = [] }) => env.map(({ name }) => name))
        .filter((name) => !settings.has(name) && !settings.has(name.replace(/_FILE$/, '')) && !foreign.test(name))
        // Read by the command line.
        .filter((name) => !(owner.startsWith('Pod ') && name === 'ADIT_SERVER'))
        .filter((name) => !(owner.endsWith('-models') && name === 'ADIT_CACHE_DIR'))
        .map((name) => `${owner}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  it.each([
    ['services.gatway.replicas=1', /gatway/],
    ['services.gateway.replica=1', /replica'/],
    ['services.gateway.settings.ADIT_LEASE_SECOND=5', /ADIT_LEASE_SECOND/],
    ['settings.DATABASE_URL=postgresql://adit:secret@db/adit', /DATABASE_URL/],
    ['inference.gpu.families={faces}', /families/],
    ['kafka.sasl.mechanism=gssapi', /mechanism/],
    ['image.digest=latest', /digest/],
    ['evaluation.kafkaImage=kafka@sha256:0123', /kafkaImage/],
    ['backup.objectsImage=', /objectsImage/],
    ['models.image=models@latest', /image/],
    ['services.decoder.replicas=13', /decoder may have 13 pods, but a topic has 6 partitions/],
    ['kafka.brokers=null', /kafka\.brokers is empty: name the brokers as host:port/],
    ['kafka.sasl.mechanism=plain', /name its secret in kafka\.sasl\.existingSecret/],
    ['evaluation.enabled=true', /leave kafka\.brokers, .* empty, or switch it off/],
    ['services.decoder.data.size=10Gi', /data\.size leaves no room/],
    ['ingress.enabled=true', /ingress\.host is empty/],
    ['objects.existingSecret=', /or say in objects\.identity\.source how pods get keys without one/],
    ['objects.identity.source=cloud', /which count instead of objects\.identity: empty one of both/],
    ['objects.identity.source=vault', /source/],
    ['database.tls.certKey=tls.crt', /both database\.tls\.certKey and database\.tls\.privateKeyKey/],
    ['restore.enabled=true', /needs backup\.target\.endpoint and backup\.target\.existingSecret/],
    ['restore.backup=yesterday', /backup/],
  ])('refuses --set %s with a sentence', async (wrong, sentence) => {
    await expect(render(['small'], '1.34', '--set', wrong)).rejects.toThrow(sentence);
  });

  it.each([
    ['services.decoder.autoscaling.enabled=true', /decoder: autoscaling\.enabled needs a Kafka that KEDA reaches/],
    ['restore.enabled=true', /restore\.enabled fills servers of your own/],
    ['backup.enabled=true', /backup\.enabled backs up servers of your own/],
  ])('refuses --set %s for an evaluation', async (wrong, sentence) => {
    await expect(render(['evaluation'], '1.34', '--set', wrong)).rejects.toThrow(sentence);
  });

  it('keeps passwords out of everything but the secret of an evaluation', async () => {
    for (const [name, values] of Object.entries(INSTALLATIONS)) {
      const secrets = objectsOf(await render(values, '1.34')).filter(({ kind }) => kind === 'Secret');
      expect([name, secrets.length]).toEqual([name, name === 'evaluation' ? 1 : 0]);
    }
  });

  it('takes images from the registry of an air-gapped installation alone', async () => {
    const made = pods(objectsOf(await render(['standard', 'gpu', 'air-gapped'], '1.34')));
    const images = made.flatMap(({ spec }) =>
      [...spec.containers, ...(spec.initContainers ?? [])].map(({ image }) => image),
    );
    expect(images.filter((image) => !image.startsWith('registry.example.internal/'))).toEqual([]);
  });
});
