import { standardHeaders } from '@adit/webhooks';
import { describe, expect, it } from '@jest/globals';
import { verifyWebhook, WebhookVerificationError, type Received } from './verify-webhook.js';

const secret = `whsec_${Buffer.from('a key of thirty-two bytes, or so').toString('base64')}`;
const body = JSON.stringify({
  event: 'job.on_completed',
  id: 'e1',
  timestamp: 1,
  data: { name: 'Zoë' },
  hmac_signature: 'x',
});
const now = new Date(1_772_366_401_000);
const signedBy = (...secrets: string[]) => standardHeaders(secrets, { id: 'e1', timestamp: 1_772_366_401, body });
const received: Received = { secret, headers: signedBy(secret), body, now };

describe('the verification of webhooks', () => {
  it('accepts what the service signs, however headers and body are given', async () => {
    const headers = signedBy(secret);
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    for (const given of [headers, upper, new Headers(headers)]) {
      expect(await verifyWebhook({ ...received, headers: given })).toMatchObject({
        event: 'job.on_completed',
        data: { name: 'Zoë' },
      });
    }
    expect(await verifyWebhook({ ...received, body: Buffer.from(body) })).toMatchObject({ id: 'e1' });
    for (const plain of ['a secret of ours', 'whsec_not base64!', 'whsec_AAAAA']) {
      expect(await verifyWebhook({ ...received, secret: plain, headers: signedBy(plain) })).toMatchObject({ id: 'e1' });
    }
  });

  it('goes on while one secret replaces another, on either side', async () => {
    const next = 'the next secret';
    expect(await verifyWebhook({ ...received, headers: signedBy(next, secret) })).toMatchObject({ id: 'e1' });
    expect(await verifyWebhook({ ...received, secret: [next, secret] })).toMatchObject({ id: 'e1' });
  });

  it('refuses everything else', async () => {
    const headers = signedBy(secret);
    const refused: Record<string, Partial<Received>> = {
      'another secret': { secret: 'another' },
      'no secret': { secret: [] },
      'another body': { body: body.replace('Zoë', 'Eve') },
      'another id': { headers: { ...headers, 'webhook-id': 'e2' } },
      'another time': { headers: { ...headers, 'webhook-timestamp': '1772366402' } },
      'no time': { headers: { ...headers, 'webhook-timestamp': 'today' } },
      'an old one': { now: new Date(now.getTime() + 301_000) },
      'one from the future': { now: new Date(now.getTime() - 301_000) },
      'no signature': { headers: { ...headers, 'webhook-signature': '' } },
      'a signature of another version': {
        headers: { ...headers, 'webhook-signature': headers['webhook-signature'].replace('v1', 'v2') },
      },
      'half a signature': { headers: { ...headers, 'webhook-signature': headers['webhook-signature'].slice(0, 20) } },
      'no headers': { headers: {} },
    };
    for (const [what, changed] of Object.entries(refused)) {
      const outcome = await verifyWebhook({ ...received, ...changed }).then(
        () => 'accepted',
        (error: unknown) => error,
      );
      expect([what, outcome]).toEqual([what, expect.any(WebhookVerificationError)]);
    }
    await expect(
      verifyWebhook({ ...received, now: new Date(now.getTime() + 301_000), toleranceSeconds: 600 }),
    ).resolves.toMatchObject({ id: 'e1' });
  });
});
