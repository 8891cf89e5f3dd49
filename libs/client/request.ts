import type { Operations } from './schema.js';

/** `METHOD /path` as the OpenAPI document has it below /api, e.g. `GET /v1/jobs/{jobId}/`. */
export type OperationKey = keyof Operations;
export type Reply<K extends OperationKey> = Operations[K]['reply'];

/** Members that may be left out when nothing in them is required. */
type Part<Name extends string, T> = [T] extends [undefined]
  ? { [N in Name]?: undefined }
  : Record<never, never> extends T
    ? { [N in Name]?: T }
    : { [N in Name]: T };

/** Input of an operation. Where a form and JSON are possible, either will do. */
export type Input<K extends OperationKey> = Part<'params', Operations[K]['params']> &
  Part<'query', Operations[K]['query']> &
  (Operations[K]['form'] extends undefined
    ? Part<'body', Operations[K]['body']>
    : { body?: Operations[K]['body']; form?: Operations[K]['form'] }) & {
    signal?: AbortSignal;
    /** Makes a POST one that may be sent twice: the second gets the reply of the first. */
    idempotencyKey?: string;
    headers?: Record<string, string>;
  };

/** The argument list of a call: no input is needed where nothing is required. */
export type Inputs<K extends OperationKey> =
  Record<never, never> extends Input<K> ? [input?: Input<K>] : [input: Input<K>];

/** Operations whose reply is a page. */
export type ListKey = {
  [K in OperationKey]: Extract<Reply<K>, { data: unknown[]; total: number }> extends never ? never : K;
}[OperationKey];
/** Input of a list; the page is optional. */
type ListInput<K extends ListKey> = Omit<Input<K>, 'query'> & { query?: Partial<Operations[K]['query']> };
export type ListInputs<K extends ListKey> =
  Record<never, never> extends ListInput<K> ? [input?: ListInput<K>] : [input: ListInput<K>];
export type Item<K extends ListKey> = Extract<Reply<K>, { data: unknown[] }>['data'][number];

export interface AnyInput {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  form?: Record<string, unknown>;
  signal?: AbortSignal;
  idempotencyKey?: string;
  headers?: Record<string, string>;
}

/** The path with its variables filled in, each escaped, and its query. */
export function pathOf(key: OperationKey, { params = {}, query = {} }: AnyInput): { method: string; path: string } {
  const [method = '', template = ''] = key.split(' ');
  const path = template.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return { method, path: text === '' ? path : `${path}?${text}` };
}

/** The JSON of an answer, of the type that the document gives for what was asked: the service holds itself to it. */
export async function jsonOf<T>(reply: Response): Promise<T> {
  return (await reply.json()) as T;
}

/** A Blob that is a file has a name; `File` itself is not everywhere. */
export function nameOf(file: Blob & { name?: string }): string | undefined {
  return file.name;
}

export function formOf(fields: Record<string, unknown>): FormData {
  const form = new FormData();
  for (const [name, given] of Object.entries(fields)) {
    const values: unknown[] = Array.isArray(given) ? given : [given];
    for (const value of values) {
      if (value instanceof Blob) form.append(name, value, nameOf(value) ?? 'file');
      else if (value !== undefined)
        form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
    }
  }
  return form;
}
