import { AditError } from '@adit/contracts';
import { InvalidArgumentError } from 'commander';

/** One argument of a module as it is given on the command line. */
export interface ModuleSetting {
  /** Null where it was left out, as it may be where one module is asked. */
  module: string | null;
  argument: string;
  value: unknown;
}

const FORM = /^(?:([a-z][a-z0-9_]*)\.)?([a-z][a-z0-9_]*)=(.*)$/is;

/** `module.argument=value`, added to those before it. The value is JSON, and text where it is none. */
export function moduleSetting(text: string, before: readonly ModuleSetting[]): ModuleSetting[] {
  const [, module, argument, value] = FORM.exec(text) ?? [];
  if (argument === undefined || value === undefined)
    throw new InvalidArgumentError(`Write it as module.argument=value, e.g. speech_recognition.mode=performance.`);
  return [...before, { module: module ?? null, argument, value: valueOf(value) }];
}

function valueOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    // A number beyond the largest would be sent as null: as text, the engine says what it expected.
    return typeof value === 'number' && !Number.isFinite(value) ? text : value;
  } catch {
    return text;
  }
}

/**
 * Returns the settings of the requested modules, by module; the last value of an argument counts. The engine knows the
 * arguments and their values. Throws VALIDATION for a module that is not requested.
 */
export function settingsOf(
  asked: readonly string[],
  settings: readonly ModuleSetting[],
): Record<string, Record<string, unknown>> {
  const all: Record<string, Record<string, unknown>> = {};
  for (const { module, argument, value } of settings) {
    const [only, ...others] = asked;
    const name = module ?? (others.length === 0 ? only : undefined);
    if (name === undefined) {
      const which = asked.map((id) => `${id}.${argument}`).join(' or ');
      throw new AditError('VALIDATION', `Several modules are asked; say whose argument ${argument} is: ${which}.`);
    }
    if (!asked.includes(name)) {
      const said = `--set ${name}.${argument} is for a module that is not asked: ${asked.join(', ')}`;
      throw new AditError('VALIDATION', `${said}. Name it in --modules as well.`);
    }
    all[name] = { ...all[name], [argument]: value };
  }
  return all;
}
