import { storable } from '@adit/contracts';
import { z } from 'zod';
import type { PythonValue } from './python-literal.js';
import { refused, shown } from './refusal.js';

const MAX_LABELS = 100_000;

/** Returns labels in the order of their numbers, which have to be 0, 1, 2 and so on. */
export function labelsOf(value: PythonValue): string[] {
  const entries: (readonly [number, PythonValue])[] =
    value instanceof Map
      ? [...value].map(([key, label]) => [Number(key), label] as const)
      : Array.isArray(value)
        ? value.map((label, index) => [index, label] as const)
        : [];
  if (entries.length === 0 || entries.length > MAX_LABELS) throw refused('Its metadata names no classes, or too many.');
  return entries
    .sort(([a], [b]) => a - b)
    .map(([number, label], index) => {
      if (number !== index) throw refused(`Its metadata has no label for class ${index}.`);
      return String(label);
    });
}

/** Throws VALIDATION for a label that the database cannot store. */
export function refuseUnstorable(labels: readonly string[]): void {
  const wrong = labels.findIndex((label) => !Storable.safeParse(label).success);
  if (wrong === -1) return;
  const label = shown(labels[wrong] ?? '');
  throw refused(`The label for class ${wrong} is ${label}: it holds a character that cannot be stored.`);
}

const Storable = z.string().check(storable);
