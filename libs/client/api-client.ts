import {
  formOf,
  jsonOf,
  pathOf,
  type AnyInput,
  type Inputs,
  type Item,
  type ListInputs,
  type ListKey,
  type OperationKey,
  type Reply,
} from './request.js';
import type { Transport } from './transport.js';

const PAGE = 200;

/** Members that name an item in its list, the first of those that it has. */
const NAMES = ['id', 'index_id', 'key', 'name'];

/** What tells an item from all others of its list; undefined for one that nothing names, of lists that only grow at their end. */
function nameOfItem(item: unknown): unknown {
  const members: Record<string, unknown> = Object(item);
  const name = NAMES.find((each) => members[each] !== undefined);
  return name === undefined ? undefined : members[name];
}

/** The input of any operation: its parts have the same names for all of them. */
function anyInput(given: unknown): AnyInput {
  return (given ?? {}) as AnyInput;
}

/** Every operation of the API by its name. */
export class ApiClient {
  constructor(protected readonly transport: Transport) {}

  /** Any operation, typed by the OpenAPI document. Throws AditApiError, AditConnectionError. */
  async request<K extends OperationKey>(key: K, ...[input]: Inputs<K>): Promise<Reply<K>> {
    return this.answered<Reply<K>>(key, anyInput(input));
  }

  /** The same as it came: for files, streams and headers. */
  raw<K extends OperationKey>(key: K, ...[input]: Inputs<K>): Promise<Response> {
    return this.send(key, anyInput(input));
  }

  /** The answer, as the document describes it; null for one without a body. */
  private async answered<R>(key: OperationKey, input: AnyInput): Promise<R | null> {
    const reply = await this.send(key, input);
    return reply.status === 204 ? null : jsonOf<R>(reply);
  }

  private send(key: OperationKey, input: AnyInput): Promise<Response> {
    const { body, form, signal, idempotencyKey } = input;
    const { method, path } = pathOf(key, input);
    return this.transport.send({
      method,
      path,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...input.headers,
      },
      ...(form !== undefined
        ? { body: () => formOf(form) }
        : body === undefined
          ? {}
          : { body: () => JSON.stringify(body) }),
      signal,
      repeatable: method !== 'POST' || idempotencyKey !== undefined,
    });
  }

  /**
   * Every page of a list, from `offset` on; `limit` is the size of a page, 200 unless given. Nothing comes twice: what was seen is left
   * out where new items have moved it to a later page, so that a page may be shorter. What is made or deleted meanwhile: see `items`.
   */
  async *pages<K extends ListKey>(key: K, ...[given]: ListInputs<K>): AsyncGenerator<Item<K>[]> {
    const { query = {}, ...input } = anyInput(given);
    const limit = Number(query['limit'] ?? PAGE);
    const seen = new Set<unknown>();
    const isNew = (item: Item<K>): boolean => {
      const name = nameOfItem(item);
      if (name === undefined) return true;
      if (seen.has(name)) return false;
      seen.add(name);
      return true;
    };
    for (let offset = Number(query['offset'] ?? 0); ;) {
      const page = { ...input, query: { ...query, offset, limit } };
      const { data, total } = await jsonOf<{ data: Item<K>[]; total: number }>(await this.send(key, page));
      const fresh = data.filter(isNew);
      if (fresh.length > 0) yield fresh;
      offset += data.length;
      if (data.length === 0 || offset >= total) return;
    }
  }

  /**
   * Every item of a list once, a page at a time. Of what is made while it is read some may be missing; where something is deleted
   * meanwhile, as many others may be.
   */
  async *items<K extends ListKey>(key: K, ...input: ListInputs<K>): AsyncGenerator<Item<K>> {
    for await (const page of this.pages(key, ...input)) yield* page;
  }
}
