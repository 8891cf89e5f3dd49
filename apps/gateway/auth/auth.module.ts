import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccessGuard } from './access.guard.js';
import { AccessTokens } from './access-tokens.js';
import { Authenticator } from './authenticator.js';
import { Bootstrap } from './bootstrap.js';
import { FailedLogins } from './failed-logins.js';
import { RateLimits } from './rate-limits.js';
import { Sessions } from './sessions.js';

/** Who asks, whether they may, and how often. */
@Module({
  providers: [
    { provide: APP_GUARD, useClass: AccessGuard },
    AccessTokens,
    Authenticator,
    Bootstrap,
    FailedLogins,
    RateLimits,
    Sessions,
  ],
  exports: [AccessTokens, Authenticator, Bootstrap, FailedLogins, RateLimits, Sessions],
})
export class AuthModule {}
