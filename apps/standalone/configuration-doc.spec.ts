import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { describeConfig, loadConfig } from '@adit/runtime';
import { chartSettings, withChartSettings } from './chart-settings.js';
import { configurationPage, SECTIONS } from './configuration-page.js';

describe('docs/reference/configuration.md', () => {
  it('lists the settings as they are (npm run docs writes it anew)', async () => {
    const file = join(import.meta.dirname, '../../docs/reference/configuration.md');
    expect(await readFile(file, 'utf8')).toBe(configurationPage());
  });

  const bounds = SECTIONS.flatMap(([, , schema]) =>
    describeConfig(schema).flatMap(({ env, type }) =>
      [...type.matchAll(/\b(from|above|to|below) (-?[\d.]+)(?= |$)/g)]
        .filter(() => /^(whole )?number/.test(type))
        .map(([, word, bound]) => ({ env, type, word: word!, bound: bound!, schema })),
    ),
  );

  it('has bounds to be held to', () => expect(bounds.length).toBeGreaterThan(40));

  it.each(bounds)('$env is $type: $word $bound', ({ env, word, bound, schema }) => {
    const read = () => loadConfig(schema, { [env]: bound });
    if (word === 'from' || word === 'to') expect(read).not.toThrow();
    else expect(read).toThrow(`${env} is wrong`);
  });
});

describe('helm/adit/values.schema.json', () => {
  const chart = join(import.meta.dirname, '../../helm/adit');

  it('takes the settings as they are (npm run docs writes it anew), no secret and none that the chart makes', async () => {
    const names = chartSettings(await readFile(join(chart, 'templates/_environment.tpl'), 'utf8'));
    const schema = await readFile(join(chart, 'values.schema.json'), 'utf8');
    expect(schema).toBe(withChartSettings(schema, names));
    expect(names).toEqual(expect.arrayContaining(['ADIT_LEASE_SECONDS', 'ADIT_PROVIDERS']));
    for (const name of ['DATABASE_URL', 'KAFKA_BROKERS', 'ADIT_API_KEY', 'PORT']) expect(names).not.toContain(name);
  });
});
