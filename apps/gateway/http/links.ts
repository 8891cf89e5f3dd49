import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Page, PageQuery } from '@adit/contracts';
import { GATEWAY_CONFIG } from '../config.js';
import type { GatewayConfig } from '../config.js';

/** Absolute addresses in replies. */
@Injectable()
export class Links {
  constructor(@Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig) {}

  /** What absolute links start with, without a slash at the end; a forged Host header ends up in no link. */
  baseUrl(request: FastifyRequest): string {
    if (this.config.publicUrl !== undefined) return this.config.publicUrl.replace(/\/+$/, '');
    const isHost = /^[A-Za-z0-9.-]+(:\d{1,5})?$|^\[[0-9a-f:.]+\](:\d{1,5})?$/i.test(request.host);
    // Digits alone do not make a port, nor dots an address.
    const host = isHost && URL.canParse(`http://${request.host}`) ? request.host : 'localhost';
    return `${request.protocol === 'https' ? 'https' : 'http'}://${host}`;
  }

  page<T>(request: FastifyRequest, { offset, limit }: PageQuery, total: number, data: T[]): Page<T> {
    const at = (start: number): string => {
      const url = new URL(request.url, this.baseUrl(request));
      url.searchParams.set('offset', String(start));
      url.searchParams.set('limit', String(limit));
      // The URL class resolves `//host/path` to another host; only path and query may come from the client.
      return `${this.baseUrl(request)}${url.pathname}${url.search}`;
    };
    return {
      total,
      offset,
      limit,
      next: offset + limit < total ? at(offset + limit) : null,
      prev: offset > 0 ? at(Math.max(0, offset - limit)) : null,
      data,
    };
  }
}
