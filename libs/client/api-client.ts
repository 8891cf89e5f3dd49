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

/** The fields of a page that lead to the next one. */
interface AnyPage<T> {
  data: T[];
  /** The address of the next page; null behind the last. */
  next: string | null;
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
   * Every page of a list, from `offset` on; `limit` is the size of a page, 200 unless given. Each begins where the one before
   * ended, whatever is made or deleted meanwhile.
   */
  async *pages<K extends ListKey>(key: K, ...[given]: ListInputs<K>): AsyncGenerator<Item<K>[]> {
    const { query = {}, ...input } = anyInput(given);
    let asked: Record<string, unknown> = { limit: PAGE, cursor: '', ...query };
    for (;;) {
      const { data, next } = await jsonOf<AnyPage<Item<K>>>(await this.send(key, { ...input, query: asked }));
      if (data.length > 0) yield data;
      // Only pages of the service have a next one.
      if (typeof next !== 'string') return;
      asked = Object.fromEntries(new URL(next).searchParams);
    }
  }

  /** Every item of a list once, a page at a time, that was there from beginning to end. */
  async *items<K extends ListKey>(key: K, ...input: ListInputs<K>): AsyncGenerator<Item<K>> {
    for await (const page of this.pages(key, ...input)) yield* page;
  }
}
