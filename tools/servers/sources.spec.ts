import { describe, expect, it } from '@jest/globals';
import { SetupError } from '../setup/step.mjs';
import { firstToWork, sourcesOf } from './sources.mjs';

describe('where servers come from', () => {
  it('is packages and then containers, unless one of them is named', () => {
    expect(sourcesOf({})).toEqual(['packages', 'containers']);
    expect(sourcesOf({ ADIT_TEST_SERVERS_FROM: '' })).toEqual(['packages', 'containers']);
    expect(sourcesOf({ ADIT_TEST_SERVERS_FROM: 'containers' })).toEqual(['containers']);
    expect(() => sourcesOf({ ADIT_TEST_SERVERS_FROM: 'docker' })).toThrow(
      new SetupError('ADIT_TEST_SERVERS_FROM is "docker"; it can be packages or containers.'),
    );
  });

  const refusing = (reason: string) => async () => {
    throw new SetupError(reason);
  };

  it('is the first that works: a container is not asked for where packages serve', async () => {
    const asked: string[] = [];
    const ways = {
      packages: async () => asked.push('packages'),
      containers: async () => asked.push('containers'),
    };
    expect(await firstToWork(['packages', 'containers'], ways)).toBe(1);
    expect(asked).toEqual(['packages']);
    await firstToWork(['packages', 'containers'], { ...ways, packages: refusing('Java is not installed.') });
    expect(asked).toEqual(['packages', 'containers']);
  });

  it('is nowhere, for the reasons of all that were tried', async () => {
    const ways = { packages: refusing('Java is not installed.'), containers: refusing('No Docker engine answers.') };
    await expect(firstToWork(['packages', 'containers'], ways)).rejects.toThrow(
      new SetupError('Java is not installed.\nNo Docker engine answers.'),
    );
    await expect(firstToWork(['containers'], ways)).rejects.toThrow(new SetupError('No Docker engine answers.'));
  });

  /** @hardening setup: A fault has a suite skipped instead of failed */
  it('is not looked for further after a fault', async () => {
    const fault = async () => {
      throw new TypeError('a bug');
    };
    await expect(
      firstToWork(['packages', 'containers'], { packages: fault, containers: async () => 'hidden' }),
    ).rejects.toThrow('a bug');
  });
});
