import { readFileSync } from 'node:fs';
import { AditError } from '@adit/contracts';
import { z } from 'zod';

interface SettingOptions {
  /** Its value is never printed, neither in errors nor in the documentation. */
  secret?: boolean;
  /** Its name in earlier releases, which is still read where the setting has no value under its own. */
  former?: string;
}

/**
 * One setting of a configuration schema: the environment variable it is read from and what it means. Put defaults on
 * `schema` (`z.int().default(4)`); numbers, booleans (`true|false|1|0|yes|no|on|off`), comma-separated lists and JSON
 * objects are read from their text by `loadConfig`.
 */
export function setting<T extends z.ZodType>(
  env: string,
  schema: T,
  description: string,
  options: SettingOptions = {},
): T {
  return schema.meta({ env, description, secret: options.secret ?? false, former: options.former });
}

export interface SettingRow {
  env: string;
  /** In words: `text`, `number`, `true or false`, `one of a, b`, `list of text`. */
  type: string;
  /** Default value in the notation of the environment; null if there is none. */
  default: string | null;
  required: boolean;
  secret: boolean;
  /** Its name in earlier releases; null when it has always had this one. */
  former: string | null;
  description: string;
}

/**
 * Reads every setting of `schema` from the environment. An empty variable counts as absent. A secret
 * may lie in a file that the variable with _FILE behind its name names. Throws one AditError
 * VALIDATION that names every variable that is wrong and what was expected of it, never a secret's value.
 */
export function loadConfig<T extends z.ZodObject>(schema: T, env: NodeJS.ProcessEnv = process.env): z.output<T> {
  const input: Record<string, unknown> = {};
  for (const [key, field] of fieldsOf(schema)) {
    const text = textOf(metaOf(key, field), env);
    if (text !== undefined && text !== '') input[key] = readText(field, text);
  }
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const fields = new Map(fieldsOf(schema));
  const errors = result.error.issues.map((issue) => {
    const key = String(issue.path[0] ?? '');
    const field = fields.get(key);
    if (field === undefined) return { pointer: key, code: 'invalid', message: issue.message };
    const { env: name, secret } = metaOf(key, field);
    if (input[key] === undefined) {
      return { pointer: name, code: 'missing', message: `${name} is missing: expected ${typeInWords(field)}` };
    }
    const why = secret ? '' : ` (${issue.message})`;
    return { pointer: name, code: 'invalid', message: `${name} is wrong: expected ${typeInWords(field)}${why}` };
  });
  const lines = errors.map((error) => `  ${error.message}`).join('\n');
  throw new AditError('VALIDATION', `The configuration is not usable. Set these environment variables:\n${lines}`, {
    errors,
  });
}

/** The text of a setting under its name or its former one, or in the file that either names. */
function textOf({ env: name, former, secret }: SettingMeta, env: NodeJS.ProcessEnv): string | undefined {
  for (const each of former === null ? [name] : [name, former]) {
    const text = env[each] || (secret ? secretIn(`${each}_FILE`, env) : undefined);
    if (text !== undefined && text !== '') return text;
  }
  return undefined;
}

/** Content of the file, less the line break that editors end it with. */
function secretIn(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const path = env[name];
  if (path === undefined || path === '') return undefined;
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw new AditError('VALIDATION', `${name} names ${path}, which cannot be read.`, { cause });
  }
}

/** One row per setting in the schema's order, for docs/reference/configuration.md. */
export function describeConfig(schema: z.ZodObject): SettingRow[] {
  return fieldsOf(schema).map(([key, field]) => {
    const { env, description, secret, former } = metaOf(key, field);
    const absent = field.safeParse(undefined);
    return {
      env,
      type: typeInWords(field),
      default: absent.success ? writeText(absent.data) : null,
      required: !absent.success,
      secret,
      former,
      description,
    };
  });
}

function fieldsOf(schema: z.ZodObject): [string, z.ZodType][] {
  return Object.entries(schema.shape);
}

interface SettingMeta {
  env: string;
  description: string;
  secret: boolean;
  former: string | null;
}

/** A key without `setting` is read from ADIT_<KEY_IN_CAPITALS>. */
function metaOf(key: string, field: z.ZodType): SettingMeta {
  const meta = field.meta() ?? {};
  const derived = `ADIT_${key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase()}`;
  return {
    env: typeof meta.env === 'string' ? meta.env : derived,
    description: meta.description ?? '',
    secret: meta.secret === true,
    former: typeof meta.former === 'string' ? meta.former : null,
  };
}

/** The schema under defaults, optionals and the input side of pipes. */
function innermost(field: z.core.$ZodType): z.core.$ZodType {
  if (
    field instanceof z.ZodDefault ||
    field instanceof z.ZodPrefault ||
    field instanceof z.ZodOptional ||
    field instanceof z.ZodNullable ||
    field instanceof z.ZodReadonly ||
    field instanceof z.ZodCatch
  ) {
    return innermost(field.def.innerType);
  }
  if (field instanceof z.ZodPipe) return innermost(field.def.in);
  return field;
}

/** Text that does not fit the type is handed on as it is, so that the schema's own message says what it expected. */
function readText(field: z.core.$ZodType, text: string): unknown {
  const type = innermost(field);
  const trimmed = text.trim();
  if (type instanceof z.ZodNumber) return trimmed !== '' && Number.isFinite(Number(trimmed)) ? Number(trimmed) : text;
  if (type instanceof z.ZodBoolean) {
    if (/^(true|1|yes|on)$/i.test(trimmed)) return true;
    return /^(false|0|no|off)$/i.test(trimmed) ? false : text;
  }
  if (type instanceof z.ZodArray) {
    const items = trimmed.split(',').map((item) => item.trim());
    return items.filter((item) => item !== '').map((item) => readText(type.def.element, item));
  }
  if (type instanceof z.ZodObject || type instanceof z.ZodRecord) {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }
  return text;
}

function writeText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(String).join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function typeInWords(field: z.core.$ZodType): string {
  const type = innermost(field);
  if (type instanceof z.ZodEnum) return `one of ${type.options.map(String).join(', ')}`;
  if (type instanceof z.ZodNumber) {
    const whole = type.format === 'safeint' ? 'whole number' : 'number';
    return [whole, ...boundsInWords(type)].join(' ');
  }
  if (type instanceof z.ZodBoolean) return 'true or false';
  if (type instanceof z.ZodArray) return `comma-separated list of ${typeInWords(type.def.element)}`;
  if (type instanceof z.ZodObject || type instanceof z.ZodRecord) return 'JSON object';
  if (type instanceof z.ZodURL) return 'URL';
  if (type instanceof z.ZodString) return textInWords(type);
  return 'text';
}

function boundsInWords(type: z.ZodNumber): string[] {
  // zod's type of a check does not say which of them it is; what is no bound has none of the members.
  const bounds = (type.def.checks ?? []).map((check) => check._zod.def as Bound);
  // Zod's text on a minimum or maximum does not tell whether it is included.
  const excludes = (kind: Bound['check'], value: number) =>
    bounds.some((bound) => bound.check === kind && bound.value === value && bound.inclusive === false);
  const { minValue: least, maxValue: most } = type;
  const words: string[] = [];
  if (least !== null && Number.isFinite(least) && least !== Number.MIN_SAFE_INTEGER) {
    words.push(`${excludes('greater_than', least) ? 'above' : 'from'} ${least}`);
  }
  if (most !== null && Number.isFinite(most) && most !== Number.MAX_SAFE_INTEGER) {
    words.push(`${excludes('less_than', most) ? 'below' : 'to'} ${most}`);
  }
  return words;
}

interface Bound {
  check: 'greater_than' | 'less_than';
  value: number;
  inclusive: boolean;
}

/** `text of 16 to 256 characters that matches ^\S+$`; every text has at least one, since an empty variable counts as absent. */
function textInWords({ minLength, maxLength, def }: z.ZodString): string {
  const least = minLength !== null && minLength > 1 ? minLength : null;
  const length =
    least !== null && maxLength !== null
      ? ` of ${least} to ${maxLength} characters`
      : least !== null
        ? ` of at least ${least} characters`
        : maxLength !== null
          ? ` of at most ${maxLength} characters`
          : '';
  const patterns = (def.checks ?? []).flatMap((check) => {
    // zod's type of a check does not say which of them it is.
    const { pattern } = check._zod.def as { pattern?: RegExp };
    return pattern === undefined ? [] : [pattern.source];
  });
  return `text${length}${patterns.length > 0 ? ` that matches ${patterns.join(' and ')}` : ''}`;
}
