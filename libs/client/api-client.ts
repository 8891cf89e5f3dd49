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

  /** Every page of a list, from `offset` on; `limit` is the size of a page, 200 unless given. */
  async *pages<K extends ListKey>(key: K, ...[given]: ListInputs<K>): AsyncGenerator<Item<K>[]> {
    const { query = {}, ...input } = anyInput(given);
    const limit = Number(query['limit'] ?? PAGE);
    for (let offset = Number(query['offset'] ?? 0); ;) {
      const page = { ...input, query: { ...query, offset, limit } };
      const { data, total } = await jsonOf<{ data: Item<K>[]; total: number }>(await this.send(key, page));
      if (data.length > 0) yield data;
      offset += data.length;
      if (data.length === 0 || offset >= total) return;
    }
  }

  /** Every item of a list, a page at a time. */
  async *items<K extends ListKey>(key: K, ...input: ListInputs<K>): AsyncGenerator<Item<K>> {
    for await (const page of this.pages(key, ...input)) yield* page;
  }
}
