import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AditError } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { BaseConfig } from './base-config.js';
import { describeConfig, loadConfig, setting } from './config.js';
import { configurationDoc } from './configuration-doc.js';

const Schema = z.object({
  port: setting('PORT', z.int().min(1).max(65_535).default(8080), 'Port of the API.'),
  roots: setting('ADIT_ROOTS', z.array(z.string()).default([]), 'Folders | sources may lie in.'),
  sizes: setting('ADIT_SIZES', z.array(z.int()).optional(), 'Sizes.'),
  rate: setting('ADIT_RATE', z.number().positive().default(2), 'Frames per second.'),
  tls: setting('ADIT_TLS', z.boolean().default(true), 'Whether to use TLS.'),
  limits: setting('ADIT_LIMITS', z.record(z.string(), z.number()).default({}), 'Limits by name.'),
  mode: setting('ADIT_MODE', z.enum(['fast', 'exact']).default('fast'), 'How to work.'),
  token: setting('ADIT_TOKEN', z.string().min(8), 'Opens the store.', { secret: true }),
  sampleCount: z.int().default(3),
});
const TOKEN = 'long-enough';

function failure(env: NodeJS.ProcessEnv): AditError {
  try {
    loadConfig(Schema, env);
  } catch (error) {
    if (error instanceof AditError) return error;
  }
  throw new Error('The configuration was accepted.');
}

describe('loadConfig', () => {
  it('reads a setting under its former name, and a secret in a file of that name', async () => {
    const Renamed = z.object({
      slots: setting('ADIT_SLOTS', z.int().default(1), 'Slots.', { former: 'ADIT_TURNS' }),
      key: setting('ADIT_NEW_KEY', z.string(), 'A key.', { secret: true, former: 'ADIT_OLD_KEY' }),
    });
    const folder = await mkdtemp(join(tmpdir(), 'adit-config-'));
    try {
      const file = join(folder, 'key');
      await writeFile(file, 'of a file\n');
      expect(loadConfig(Renamed, { ADIT_TURNS: '2', ADIT_OLD_KEY_FILE: file })).toEqual({ slots: 2, key: 'of a file' });
    } finally {
      await rm(folder, { recursive: true });
    }
    expect(loadConfig(Renamed, { ADIT_TURNS: '2', ADIT_SLOTS: '3', ADIT_OLD_KEY: 'old', ADIT_NEW_KEY: 'new' })).toEqual(
      {
        slots: 3,
        key: 'new',
      },
    );
    const rows = describeConfig(Renamed);
    expect(configurationDoc([{ title: 'One', rows }])).toContain('Slots. Formerly `ADIT_TURNS`, which still works.');
  });

  it('reads numbers, booleans, lists and objects from their text', () => {
    const config = loadConfig(Schema, {
      PORT: '9000',
      ADIT_ROOTS: '/media, /mnt/films ,',
      ADIT_SIZES: '320,640',
      ADIT_RATE: '0.5',
      ADIT_TLS: 'off',
      ADIT_LIMITS: '{"jobs": 4}',
      ADIT_MODE: 'exact',
      ADIT_TOKEN: '12345678',
      ADIT_SAMPLE_COUNT: '7',
    });
    expect(config).toEqual({
      port: 9000,
      roots: ['/media', '/mnt/films'],
      sizes: [320, 640],
      rate: 0.5,
      tls: false,
      limits: { jobs: 4 },
      mode: 'exact',
      token: '12345678',
      sampleCount: 7,
    });
  });

  it('takes defaults for what is absent or empty', () => {
    expect(loadConfig(Schema, { PORT: '', ADIT_TOKEN: TOKEN })).toEqual({
      port: 8080,
      roots: [],
      rate: 2,
      tls: true,
      limits: {},
      mode: 'fast',
      token: TOKEN,
      sampleCount: 3,
    });
  });

  it('takes a secret from the file that a variable names', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'adit-config-'));
    const path = join(folder, 'token');
    await writeFile(path, 'kept-in-a-file\n');
    expect(loadConfig(Schema, { ADIT_TOKEN_FILE: path })).toMatchObject({ token: 'kept-in-a-file' });
    expect(loadConfig(Schema, { ADIT_TOKEN_FILE: path, ADIT_TOKEN: TOKEN })).toMatchObject({ token: TOKEN });
    // No secret: PORT_FILE means nothing.
    expect(loadConfig(Schema, { PORT_FILE: path, ADIT_TOKEN: TOKEN })).toMatchObject({ port: 8080 });
    await rm(folder, { recursive: true });
    expect(() => loadConfig(Schema, { ADIT_TOKEN_FILE: path })).toThrow(/^ADIT_TOKEN_FILE names .*cannot be read/);
  });

  it('names every variable that is wrong in one error', () => {
    const error = failure({
      PORT: '80,80',
      ADIT_TLS: 'maybe',
      ADIT_MODE: 'slow',
      ADIT_LIMITS: '{',
      ADIT_SIZES: '1,two',
    });
    expect(error.code).toBe('VALIDATION');
    expect(error.options.errors?.map(({ pointer }) => pointer).sort()).toEqual([
      'ADIT_LIMITS',
      'ADIT_MODE',
      'ADIT_SIZES',
      'ADIT_TLS',
      'ADIT_TOKEN',
      'PORT',
    ]);
    expect(error.message).toContain('PORT is wrong: expected whole number from 1 to 65535');
    expect(error.message).toContain('ADIT_MODE is wrong: expected one of fast, exact');
    expect(error.message).toContain('ADIT_TOKEN is missing: expected text');
  });

  it.each(['0x', '1e999', ' ', 'NaN', '12px'])('does not take %j for a number', (text) => {
    expect(failure({ ADIT_RATE: text, ADIT_TOKEN: TOKEN }).message).toContain('ADIT_RATE is wrong');
  });

  /** @hardening api: The error of a setting does not say what it takes */
  it('says the length, range and pattern of what it expected, in errors and in the documentation', () => {
    const Bounded = z.object({
      key: setting('ADIT_KEY', z.string().min(16).max(256).regex(/^\S+$/).optional(), 'A key.', { secret: true }),
      name: setting('ADIT_NAME', z.string().min(1).max(9).default('a'), 'A name.'),
      share: setting('ADIT_SHARE', z.number().positive().max(1).default(1), 'A share.'),
      rest: setting('ADIT_REST', z.number().nonnegative().lt(1).default(0), 'A rest.'),
      count: setting('ADIT_COUNT', z.int().positive().default(1), 'A count.'),
    });
    const wrong = {
      ADIT_KEY: 'nine chars',
      ADIT_NAME: 'x'.repeat(10),
      ADIT_SHARE: '0',
      ADIT_REST: '1',
      ADIT_COUNT: '0',
    };
    const expected = [
      'text of 16 to 256 characters that matches ^\\S+$',
      'text of at most 9 characters',
      'number above 0 to 1',
      'number from 0 below 1',
      'whole number above 0',
    ];
    expect(describeConfig(Bounded).map(({ type }) => type)).toEqual(expected);
    expect(() => loadConfig(Bounded, wrong)).toThrow(
      new RegExp(expected.map((words) => `is wrong: expected ${words.replace(/[\\^$+]/g, '\\$&')}`).join('[^]*')),
    );
    expect(() => loadConfig(Bounded, wrong)).not.toThrow(/nine/);
  });

  it('never prints the value of a secret', () => {
    const Secretive = z.object({
      key: setting(
        'ADIT_KEY',
        z.string().refine((text) => text.length > 20, { error: (issue) => `too short: ${String(issue.input)}` }),
        'A key.',
        { secret: true },
      ),
    });
    expect(() => loadConfig(Secretive, { ADIT_KEY: 'hunter2' })).toThrow(/ADIT_KEY is wrong/);
    expect(() => loadConfig(Secretive, { ADIT_KEY: 'hunter2' })).not.toThrow(/hunter2/);
  });

  it('has a whole configuration without any variable set', () => {
    expect(loadConfig(BaseConfig, {})).toMatchObject({ dataDir: '.adit', logLevel: 'info', busDriver: 'in-process' });
  });
});

describe('describeConfig', () => {
  it('tells type, default and meaning of each setting', () => {
    const rows = describeConfig(Schema);
    expect(rows.map(({ env, type, default: fallback }) => [env, type, fallback])).toEqual([
      ['PORT', 'whole number from 1 to 65535', '8080'],
      ['ADIT_ROOTS', 'comma-separated list of text', null],
      ['ADIT_SIZES', 'comma-separated list of whole number', null],
      ['ADIT_RATE', 'number above 0', '2'],
      ['ADIT_TLS', 'true or false', 'true'],
      ['ADIT_LIMITS', 'JSON object', '{}'],
      ['ADIT_MODE', 'one of fast, exact', 'fast'],
      ['ADIT_TOKEN', 'text of at least 8 characters', null],
      ['ADIT_SAMPLE_COUNT', 'whole number', '3'],
    ]);
    expect(rows.find(({ env }) => env === 'ADIT_TOKEN')).toMatchObject({ required: true, secret: true });
  });

  it('becomes a page with a table for each section', () => {
    const page = configurationDoc([
      { title: 'Every process', rows: describeConfig(BaseConfig) },
      { title: 'Gateway', introduction: 'The API.', rows: describeConfig(Schema) },
    ]);
    expect(page).toContain('## Gateway\n\nThe API.\n\n| Variable | Type | Default | Meaning |');
    expect(page).toContain('| `PORT` | whole number from 1 to 65535 | `8080` | Port of the API. |');
    expect(page).toContain('| `ADIT_ROOTS` | comma-separated list of text | none | Folders \\| sources may lie in. |');
    expect(page).toContain('| `ADIT_TOKEN` | text of at least 8 characters | *required* | Opens the store. (secret) |');
    expect(page).toContain('`ADIT_LOG_LEVEL`');
  });
});
