import { describeConfig } from '@adit/runtime';
import { SECTIONS } from './configuration-page.js';

/**
 * The settings that values of the Helm chart may name, in order: not secrets, and not those that the chart makes of other
 * values, which are the ones in `template`, the text of templates/_environment.tpl, before it comes to GPUs.
 */
export function chartSettings(template: string): string[] {
  const [always = ''] = template.split('{{- if .service.gpu -}}');
  const made = new Set([...always.matchAll(/"([A-Z][A-Z0-9]*_[A-Z0-9_]+|PORT)"/g)].map(([, name]) => name));
  // The image says these.
  for (const name of ['ADIT_HOST', 'ADIT_OPERATIONS_HOST']) made.add(name);
  const rows = SECTIONS.flatMap(([, , schema]) => describeConfig(schema));
  const open = rows.filter(({ env, secret }) => !secret && !made.has(env));
  const names = open.flatMap(({ env, former }) => (former === null ? [env] : [env, former]));
  return [...new Set(names)].sort();
}

/** The chart's schema of values, in which `settings` are refused unless they are `names`. */
export function withChartSettings(schema: string, names: string[]): string {
  const parsed = JSON.parse(schema) as { $defs: { settings: { propertyNames: { anyOf: [{ enum: string[] }] } } } };
  parsed.$defs.settings.propertyNames.anyOf[0].enum = names;
  return `${JSON.stringify(parsed, null, 2)}\n`;
}
