import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { HttpModule } from '../http/http.module.js';
import { KeysController } from './keys.controller.js';

/** API keys, and the secret that a workspace’s webhooks are signed with. */
@Module({
  imports: [AuthModule, HttpModule],
  controllers: [KeysController],
})
export class KeysApiModule {}
