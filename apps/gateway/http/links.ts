import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Page, PageQuery } from '@adit/contracts';
import { GATEWAY_CONFIG } from '../config.js';
import type { GatewayConfig } from '../config.js';
import { sealCursor } from './cursors.js';

/** Absolute addresses in replies. */
@Injectable()
export class Links {
  constructor(@Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig) {}

  /** Returns the beginning of absolute links, without a slash at the end. A forged Host header ends up in no link. */
  baseUrl(request: FastifyRequest): string {
    if (this.config.publicUrl !== undefined) return this.config.publicUrl.replace(/\/+$/, '');
    const isHost = /^[A-Za-z0-9.-]+(:\d{1,5})?$|^\[[0-9a-f:.]+\](:\d{1,5})?$/i.test(request.host);
    // Digits alone do not make a port, nor dots an address.
    const host = isHost && URL.canParse(`http://${request.host}`) ? request.host : 'localhost';
    return `${request.protocol === 'https' ? 'https' : 'http'}://${host}`;
  }

  /**
   * A page with the addresses of those beside it, asked for in the same way: by `offset`, or by `cursor`.
   *
   * @param behind the place behind the page, of a list that was read by a cursor
   */
  page<T>(
    request: FastifyRequest,
    { offset, limit, cursor }: PageQuery,
    total: number,
    data: T[],
    behind: string | null = null,
  ): Page<T> {
    const at = (way: Record<string, string>): string => {
      const url = new URL(request.url, this.baseUrl(request));
      for (const name of ['offset', 'cursor']) url.searchParams.delete(name);
      for (const [name, value] of Object.entries(way)) url.searchParams.set(name, value);
      // The URL class resolves `//host/path` to another host; only path and query may come from the client.
      return `${this.baseUrl(request)}${url.pathname}${url.search}`;
    };
    const from = (start: number) => at({ offset: String(start), limit: String(limit) });
    if (cursor !== undefined) {
      const next = behind === null ? null : at({ cursor: sealCursor(request, behind) });
      return { total, offset, limit, next, prev: null, data };
    }
    return {
      total,
      offset,
      limit,
      next: offset + limit < total ? from(offset + limit) : null,
      prev: offset > 0 ? from(Math.max(0, offset - limit)) : null,
      data,
    };
  }
}
