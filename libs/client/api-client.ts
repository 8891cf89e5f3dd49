import {
  formOf,
  pathOf,
  type AnyInput,
  type Inputs,
  type Input,
  type Item,
  type ListInputs,
  type ListKey,
  type OperationKey,
  type Reply,
} from './request.js';
import type { Transport } from './transport.js';

const PAGE = 200;

/** Every operation of the API by its name. */
export class ApiClient {
  constructor(protected readonly transport: Transport) {}

  /** Any operation, typed by the OpenAPI document. Throws AditApiError, AditConnectionError. */
  async request<K extends OperationKey>(key: K, ...[input]: Inputs<K>): Promise<Reply<K>> {
    const reply = await this.raw(key, ...([input] as unknown as Inputs<K>));
    if (reply.status === 204) return null;
    return (await reply.json()) as Reply<K>;
  }

  /** The same as it came: for files, streams and headers. */
  raw<K extends OperationKey>(key: K, ...[given]: Inputs<K>): Promise<Response> {
    const input = (given ?? {}) as AnyInput;
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
  async *pages<K extends ListKey>(key: K, ...[input]: ListInputs<K>): AsyncGenerator<Item<K>[]> {
    const query = (input as AnyInput | undefined)?.query ?? {};
    const limit = Number(query['limit'] ?? PAGE);
    for (let offset = Number(query['offset'] ?? 0); ;) {
      const page = { ...(input as object | undefined), query: { ...query, offset, limit } } as unknown as Input<K>;
      const { data, total } = (await this.request(key, ...([page] as unknown as Inputs<K>))) as {
        data: Item<K>[];
        total: number;
      };
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
