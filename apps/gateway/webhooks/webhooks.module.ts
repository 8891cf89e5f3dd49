import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { WebhookLog } from './webhook-log.js';
import { Webhooks } from '@adit/webhooks';
import { WebhooksController } from './webhooks.controller.js';

/** Webhooks and what became of their deliveries. */
@Module({
  imports: [HttpModule],
  controllers: [WebhooksController],
  providers: [WebhookLog, Webhooks],
})
export class WebhooksApiModule {}
