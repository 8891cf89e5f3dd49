import { Module } from '@nestjs/common';
import { IdempotencyKeys } from './idempotency-keys.js';
import { Links } from './links.js';

/** What resources speak HTTP with. */
@Module({ providers: [IdempotencyKeys, Links], exports: [IdempotencyKeys, Links] })
export class HttpModule {}
