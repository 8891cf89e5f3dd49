import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load, YAML11_SCHEMA } from 'js-yaml';
import { PNPM_VERSION } from '../setup/steps/packages.mjs';
import { serviceNames } from './stack.mjs';

interface ComposeService {
  image: string;
  command?: string[];
  environment: Record<string, string>;
  healthcheck?: { test: string[] };
  profiles?: string[];
  tmpfs?: string[];
  volumes?: string[];
}

const root = join(import.meta.dirname, '../..');
const text = (path: string): string => readFileSync(join(root, path), 'utf8');
const compose = load(text('deploy/docker-compose.yml'), { schema: YAML11_SCHEMA }) as {
  services: Record<string, ComposeService>;
};
/** Those that run our image; the others are Kafka, PostgreSQL and MinIO. */
const ours = Object.entries(compose.services).filter(([, { image }]) => image.includes('ADIT'));
/** Not Adit's own: OpenTelemetry reads its variables, Node reads this one. */
const foreign = /^(OTEL_.*|TMPDIR)$/;
const settings = new Set([...text('docs/configuration.md').matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(([, name]) => name));

describe('deploy', () => {
  it('starts every service, by the program that the build makes of it', () => {
    const started = ours.map(([, { command }]) => command![1]!.match(/^apps\/([a-z-]+)\/dist\/main\.js$/)?.[1]);
    expect([...new Set(started)].sort()).toEqual(serviceNames());
  });

  it.each(ours)('%s sets only what is a setting, and is asked whether it is ready', (_, service) => {
    const unknown = Object.keys(service.environment).filter((name) => !settings.has(name) && !foreign.test(name));
    expect(unknown).toEqual([]);
    expect(service.environment).toMatchObject({
      BUS_DRIVER: 'kafka',
      DATABASE_DRIVER: 'postgres',
      OBJECTS_DRIVER: 'minio',
    });
    const port = service.command![1]!.includes('gateway') ? 8080 : 9464;
    expect(service.healthcheck!.test).toEqual(['CMD', 'node', 'deploy/probe.mjs', `http://127.0.0.1:${port}/readyz`]);
  });

  it.each(ours)(
    '%s finds every folder that it writes to mounted, and volumes made its own by the image',
    (_, service) => {
      const volumes = (service.volumes ?? []).map((volume) => volume.split(':')[1]!);
      expect([...volumes, ...service.tmpfs!]).toEqual(expect.arrayContaining(['/data', '/tmp']));
      const owned = text('deploy/Dockerfile').match(/install --directory --owner=adit --group=adit (.*?) \\?\n/)![1]!;
      for (const place of volumes) expect(owned.split(' ')).toContain(place);
    },
  );

  it('names every server that the services are told of', () => {
    const [, { environment }] = ours[0]!;
    const hosts = [environment['KAFKA_BROKERS']!, environment['DATABASE_URL']!, environment['S3_ENDPOINT']!].map(
      (address) => address.match(/(?:@|\/\/|^)([a-z]+):\d+/)![1]!,
    );
    for (const host of hosts) expect(compose.services[host]?.healthcheck).toBeDefined();
  });

  it('builds with the pnpm that set-up pins, and runs as nobody in particular', () => {
    const dockerfile = text('deploy/Dockerfile');
    expect(dockerfile).toContain(`ARG PNPM_VERSION=${PNPM_VERSION}\n`);
    expect(dockerfile).toMatch(/\nUSER 10001:10001\n/);
    expect(dockerfile.lastIndexOf('\nUSER ')).toBeGreaterThan(dockerfile.lastIndexOf('\nFROM '));
    for (const variable of dockerfile.matchAll(/\b(ADIT_[A-Z_]+)=/g)) expect(settings).toContain(variable[1]);
  });
});
