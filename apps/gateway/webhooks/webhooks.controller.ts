import type { Webhook } from '@adit/contracts';
import type { WebhookEntity } from '@adit/database';
import { Controller, Inject } from '@nestjs/common';
import { refusalOf } from '../auth/access.guard.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import type { Caller } from '../http/caller.js';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { askedPage } from '../http/shapes.js';
import { checkCallback } from './check-callback.js';
import { WebhookLog } from './webhook-log.js';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  getWebhook,
  listAttempts,
  listWebhooks,
  replaceWebhook,
  replayAttempt,
  testWebhook,
} from './webhook-routes.js';
import { presentWebhook, Webhooks, type WebhookFields } from '@adit/webhooks';

@Controller()
export class WebhooksController {
  constructor(
    @Inject(Webhooks) private readonly webhooks: Webhooks,
    @Inject(WebhookLog) private readonly log: WebhookLog,
    @Inject(Links) private readonly links: Links,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Route(listWebhooks)
  async list({ query }: Input<typeof listWebhooks>, { caller, request }: Exchange) {
    const page = askedPage(query);
    const { total, rows, next } = await this.webhooks.list(caller.workspaceId, page ?? query);
    const shown = rows.map((row) => shownTo(caller, row));
    return page === null ? shown : this.links.page(request, page, total, shown, next);
  }

  @Route(createWebhook)
  async create({ body }: Input<typeof createWebhook>, { caller, newId, isDone, done }: Exchange) {
    const { workspaceId } = caller;
    if (isDone) return shownTo(caller, await this.webhooks.get(workspaceId, newId));
    checkCallback(body.url, '/url', this.config);
    return shownTo(caller, await this.webhooks.create(workspaceId, newId, body, done));
  }

  @Route(getWebhook)
  async one({ params }: Input<typeof getWebhook>, { caller }: Exchange) {
    return shownTo(caller, await this.webhooks.get(caller.workspaceId, params.webhookId));
  }

  @Route(replaceWebhook)
  replace({ params, body }: Input<typeof replaceWebhook>, { caller }: Exchange) {
    return this.changed(caller, params.webhookId, body);
  }

  @Route(changeWebhook)
  change({ params, body }: Input<typeof changeWebhook>, { caller }: Exchange) {
    return this.changed(caller, params.webhookId, body);
  }

  @Route(deleteWebhook)
  async delete({ params: { webhookId } }: Input<typeof deleteWebhook>, { caller }: Exchange) {
    await this.webhooks.remove(caller.workspaceId, webhookId);
    return { message: `Webhook ${webhookId} was deleted.` };
  }

  @Route(testWebhook)
  async test({ params }: Input<typeof testWebhook>, { caller, newId, isDone, done }: Exchange) {
    const webhook = await this.webhooks.get(caller.workspaceId, params.webhookId);
    return isDone ? this.log.message(webhook, newId) : this.log.test(webhook, newId, done);
  }

  @Route(listAttempts)
  async attempts({ params, query }: Input<typeof listAttempts>, { caller, request }: Exchange) {
    const webhook = await this.webhooks.get(caller.workspaceId, params.webhookId);
    const { total, data, next } = await this.log.attempts(webhook, query);
    return this.links.page(request, query, total, data, next);
  }

  @Route(replayAttempt)
  async replay({ params }: Input<typeof replayAttempt>, { caller, isDone, done }: Exchange) {
    const webhook = await this.webhooks.get(caller.workspaceId, params.webhookId);
    const { attemptId } = params;
    return isDone ? this.log.message(webhook, attemptId) : this.log.replay(webhook, attemptId, done);
  }

  private async changed(caller: Caller, id: string, fields: Partial<WebhookFields>) {
    const { workspaceId } = caller;
    await this.webhooks.get(workspaceId, id);
    checkCallback(fields.url, '/url', this.config);
    return shownTo(caller, await this.webhooks.change(workspaceId, id, fields));
  }
}

function shownTo(caller: Caller, row: WebhookEntity): Webhook {
  return presentWebhook(row, refusalOf(caller, changeWebhook) === null);
}
