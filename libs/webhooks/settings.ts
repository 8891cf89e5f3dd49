import { setting } from '@adit/runtime';
import { AddressPolicy, type WebPolicy } from '@adit/net';
import { z } from 'zod';

/** Which receivers may be called: checked when a job is posted and again at every connection. */
export const ReceiverSettings = z.object({
  webhookAllowHttp: setting(
    'ADIT_WEBHOOK_ALLOW_HTTP',
    z.boolean().default(false),
    'Whether webhooks are delivered to http:// addresses, not only https://.',
  ),
  webhookAllowAddresses: setting(
    'ADIT_WEBHOOK_ALLOW_ADDRESSES',
    z.array(z.string()).default([]),
    'Networks in CIDR form that webhooks are delivered to although they are not public, e.g. 10.20.0.0/16.',
  ),
});
export type ReceiverSettings = z.infer<typeof ReceiverSettings>;

/** Throws VALIDATION when a network is not in CIDR form. */
export function receiverPolicy({ webhookAllowHttp, webhookAllowAddresses }: ReceiverSettings): WebPolicy {
  return {
    allowHttp: webhookAllowHttp,
    addresses: new AddressPolicy(webhookAllowAddresses, 'ADIT_WEBHOOK_ALLOW_ADDRESSES'),
  };
}
