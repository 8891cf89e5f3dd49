import { randomUUID } from 'node:crypto';
import { AditError, storable, type ErrorCode } from '@adit/contracts';
import type { Beside } from '@adit/database';
import { createParamDecorator, HttpCode, RequestMapping, RequestMethod, SetMetadata } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ReplyHeader } from './server/reply-headers.js';
import type { Tag } from './tags.js';
import type { Caller } from './caller.js';
import { openCursor } from './cursors.js';
import { REVALIDATED } from './etags.js';
import { knownQuery } from './known-query.js';
import { sentBack } from './sent-back.js';

type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Reply of a route that is not JSON. */
export interface RawReply {
  contentType: string;
  description: string;
  /** Bytes under a content type of their own, which can be asked for in parts, and conditionally. */
  isFile?: boolean;
  /** What 202 with Retry-After says, where the bytes may have to be made first. */
  pending?: string;
}

/**
 * Reply of another shape that certain query parameters select. It is documented as an operation of its own, under the
 * path without its slash, so that every documented operation has one shape of reply.
 */
export interface OtherAnswer {
  /** Ends its operation id: `getModelsPage`. */
  name: string;
  summary: string;
  description: string;
  /** The parameters that ask for it; those of the route itself that are named so are not documented there. */
  query: z.ZodObject;
  reply: z.ZodType;
}

/** A route, declared once: it is registered, validated and documented from this. */
export interface RouteDefinition<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
> {
  method: Method;
  /** The whole path below `/api`, with `:name` for variables and a trailing slash. */
  path: string;
  summary: string;
  description: string;
  tag: Tag;
  params?: Params;
  /** A parameter that it does not have is refused. */
  query?: Query;
  body?: Body;
  /** Fields of a multipart/form-data body, which the handler reads itself; beside a `body` the client has the choice. */
  form?: z.ZodType;
  /** Content type of a body of bytes, which the handler reads itself. */
  rawBody?: string;
  /** Request headers of its own, for the documentation; the handler reads them itself. */
  headers?: z.ZodType;
  /**
   * Schema of the resource that a client may send back: its fields that `body` does not take are ignored. Default: the
   * reply, if it is an object. Null for commands, which take their arguments and nothing else.
   */
  resource?: z.ZodType | null;
  /** Null when the reply has no content. */
  reply: z.ZodType | RawReply | null;
  otherwise?: OtherAnswer;
  /** Headers of the reply beside those that follow from its kind. */
  replyHeaders?: ReplyHeader[];
  /** Default 200. */
  status?: number;
  /** `public` needs no key, `admin` a key of that role. Default `member`. */
  access?: 'public' | 'member' | 'admin' | 'owner';
  /**
   * Returns why the caller may not make this request, though it may use the route; null if it may. Checked before a
   * stored reply is given, so that `Idempotency-Key` shows nobody what they may not reach. Checks that need the
   * database belong in the handler's `Refuse`.
   */
  refuses?(caller: Caller, input: { body: z.output<Body> }): string | null;
  /** The reply holds a secret: it is never kept, neither for Idempotency-Key nor by the client. */
  secret?: boolean;
  /** It changes who may do what: its line in the audit log is written before the reply. */
  credential?: boolean;
  /** The member of the reply that identifies what was made. Default `id`. */
  identifiedBy?: string;
  /** The member of the reply that lists the ids of what was removed, where that may be many. */
  removes?: string;
  /** Refusals beyond those of every route. */
  errors?: ErrorCode[];
  /** Each JSON body and reply is shown; routes of the same schema share what one of them has. */
  example?: { body?: unknown; reply?: unknown };
}

const NOTHING = z.object({});
type Nothing = typeof NOTHING;

/** Gives a route its types; leave out what it does not take. */
export function defineRoute<
  Params extends z.ZodType = Nothing,
  Query extends z.ZodObject = Nothing,
  Body extends z.ZodType = z.ZodUndefined,
>(definition: RouteDefinition<Params, Query, Body>): RouteDefinition<Params, Query, Body> {
  return definition;
}

/** First argument of a handler: the validated request. */
export interface Input<R extends RouteDefinition> {
  params: z.output<NonNullable<R['params']>>;
  query: z.output<NonNullable<R['query']>>;
  body: z.output<NonNullable<R['body']>>;
}

/** Second argument of a handler: the caller, and the raw request and reply for headers and streams. */
export interface Exchange {
  /** Null on public routes. */
  caller: Caller;
  request: FastifyRequest;
  reply: FastifyReply;
  /** The id of what the request makes: the same one when it is done already. */
  newId: string;
  /** Null without one. */
  idempotencyKey: string | null;
  /** A process did it that died before it had answered the same Idempotency-Key: nothing is left but to answer. */
  isDone: boolean;
  /**
   * To be called by every POST that changes something, in the transaction that does it. Throws CONFLICT when it was done
   * meanwhile; without an Idempotency-Key it does nothing.
   */
  done: Beside;
}

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Wraps the handler of a mutation: answers with the result of `handle`, or with the stored reply to the same
     * request.
     */
    runMutation(route: RouteDefinition, exchange: Exchange, handle: () => Promise<unknown>): Promise<unknown>;
  }
}

type RequestWithCaller = FastifyRequest & { caller?: Caller };

const ValidatedRequest = createParamDecorator((clean: (body: unknown) => unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const { params, body } = request;
  const given = membersOf(request.query);
  const query = routeIn(context)?.query?.shape['cursor'] === undefined ? given : openCursor(request, given);
  return { params: membersOf(params), query, body: clean(body) };
});

/** A copy of what was parsed; objects without a prototype become plain ones. */
function membersOf(parsed: unknown): Record<string, unknown> {
  return typeof parsed === 'object' ? { ...parsed } : {};
}

const nothing: Beside = () => Promise.resolve();

const HttpExchange = createParamDecorator((_: unknown, context: ExecutionContext): Exchange => {
  const request = context.switchToHttp().getRequest<RequestWithCaller>();
  const reply = context.switchToHttp().getResponse<FastifyReply>();
  const route = routeIn(context);
  if (route !== undefined) reply.header('cache-control', cachingOf(route));
  // Missing on public routes alone, whose handlers do not ask who it is.
  const caller = request.caller as Caller;
  return { caller, request, reply, newId: randomUUID(), idempotencyKey: null, isDone: false, done: nothing };
});

/** Under which a handler keeps its route. */
const ROUTE = Symbol('adit:route');

/**
 * Throws what the handler would throw for a caller that may not make the request, where that depends on stored data. A
 * route has one if `FORBIDDEN` is among its errors.
 */
type Refuse<C, R extends RouteDefinition> = (controller: C, caller: Caller, input: Input<R>) => Promise<void>;

/** Registers a controller's method, `(input, exchange) => reply`, as the handler of a route. */
export function Route<R extends RouteDefinition, C extends object = object>(route: R, refuse?: Refuse<C, R>) {
  const shape = z.object({
    params: route.params ?? NOTHING,
    query: knownQuery(route.query ?? NOTHING),
    // A body that the route does not take is ignored, as the interface asks of unknown things on DELETE and GET.
    body: route.body ?? z.unknown(),
  });
  const schema = shape.check(storable);
  const { body, reply, resource = reply instanceof z.ZodType ? reply : null } = route;
  const clean = sentBack(body, resource);
  return <M extends (input: Input<R>, exchange: Exchange) => unknown>(
    target: C,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<M>,
  ): void => {
    const handler = descriptor.value;
    if (handler !== undefined && isMutation(route)) {
      // It takes and gives what the handler does.
      descriptor.value = async function (this: C, input: Input<R>, exchange: Exchange) {
        const why = route.refuses?.(exchange.caller, input) ?? null;
        if (why !== null) throw new AditError('FORBIDDEN', why);
        await refuse?.(this, exchange.caller, input);
        return exchange.request.server.runMutation(route, exchange, async () => handler.call(this, input, exchange));
      } as M;
    }
    RequestMapping({ method: RequestMethod[route.method], path: route.path })(target, key, descriptor);
    HttpCode(route.status ?? 200)(target, key, descriptor);
    SetMetadata(ROUTE, route)(target, key, descriptor);
    ValidatedRequest(clean, { schema })(target, key, 0);
    HttpExchange()(target, key, 1);
  };
}

/** The route of a method that `@Route` made a handler. */
function routeOf(handler: object): RouteDefinition | undefined {
  const route: RouteDefinition | undefined = Reflect.getMetadata(ROUTE, handler);
  return route;
}

/** The route that a request takes; undefined for what is no route of ours. */
export function routeIn(context: ExecutionContext): RouteDefinition | undefined {
  return routeOf(context.getHandler());
}

/** Tells whether a request changes something on behalf of a key. */
function isMutation({ method, access }: RouteDefinition): boolean {
  return access !== 'public' && method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}

/** `Cache-Control` of its replies: what is read and holds no secret may be kept; everything else not even for a moment. */
export function cachingOf({ method, reply, secret, access }: RouteDefinition): string {
  if (method !== 'GET' || reply === null || secret === true || access === 'public') return 'no-store';
  return !('contentType' in reply) || reply.isFile === true ? REVALIDATED : 'no-store';
}

/** The routes of a controller class, in the order of its methods. */
export function routesOf(controller: { prototype: object }): RouteDefinition[] {
  return Object.getOwnPropertyNames(controller.prototype).flatMap((name) => {
    const method: unknown = Object.getOwnPropertyDescriptor(controller.prototype, name)?.value;
    return (typeof method === 'function' && routeOf(method)) || [];
  });
}
