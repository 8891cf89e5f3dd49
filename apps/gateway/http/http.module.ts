import { Module } from '@nestjs/common';
import { IdempotencyKeys } from './idempotency-keys.js';
import { Links } from './links.js';

/** HTTP tools that resources share. */
@Module({ providers: [IdempotencyKeys, Links], exports: [IdempotencyKeys, Links] })
export class HttpModule {}
