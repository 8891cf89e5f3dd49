import { describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { messageBody } from './body.js';
import { hmacSignature, standardHeaders } from './signing.js';

// Computed with `openssl dgst -sha256`; the first message and its signature are also the example in Svix' manual.
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const data = '{"job":{"id":"1","tag":"Zürich"}}';
const newSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe('a signature', () => {
  it('is what openssl computes', () => {
    expect(hmacSignature(secret, data)).toBe('pCuKlg926p9t2Ny/72vt17XHS6k1OdgAuorra9MqPZI=');
    expect(hmacSignature('plain secret', data)).toBe('ZEjYLhBUPDDOeSooVQs86yrXZcx7e4eblEKAVLygo5E=');
    const message = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: 1614265330,
      body: '{"test": 2432232314}',
    };
    expect(standardHeaders([secret], message)).toEqual({
      'webhook-id': message.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
    // A secret that is not in the standard's form is its bytes.
    const plain = standardHeaders(['plain secret'], { id: 'm1', timestamp: 1614265330, body: '{}' });
    expect(plain['webhook-signature']).toBe('v1,D+z1p0XJkbkAH3I0lZBXWqIOzVTZQ37PVnl2nYkGrls=');
  });

  it('is accepted by the library of Standard Webhooks, under either secret while two are valid', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.uuid(), (text, id) => {
        const body = JSON.stringify({ text });
        const timestamp = Math.floor(Date.now() / 1000);
        const headers = standardHeaders([newSecret, secret], { id, timestamp, body });
        for (const valid of [newSecret, secret]) expect(new Webhook(valid).verify(body, headers)).toEqual({ text });
        const wrong = new Webhook(Buffer.alloc(24, 1).toString('base64'));
        expect(() => wrong.verify(body, headers)).toThrow(/signature/i);
        expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow(/signature/i);
      }),
    );
  });
});

describe('a body', () => {
  it('holds the very bytes of data that hmac_signature covers, whatever they are', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.string(),
        fc.double({ min: 0, max: 4e9, noNaN: true }),
        (value, event, timestamp) => {
          const text = JSON.stringify({ value });
          const body = messageBody({ event, id: 'one', timestamp, data: text }, secret);
          const parsed = JSON.parse(body) as Record<string, unknown>;
          expect(Object.keys(parsed).sort()).toEqual(['data', 'event', 'hmac_signature', 'id', 'timestamp']);
          expect(parsed['event']).toBe(event);
          // As a receiver does it: cut out, or written again from what was parsed by a parser that keeps the order.
          const cut = body.slice(body.indexOf('"data":') + 7, body.lastIndexOf(',"hmac_signature":'));
          const from = body.indexOf(`"data":${text}`);
          expect(from).toBeGreaterThan(0);
          expect(cut.endsWith(text)).toBe(true);
          expect(parsed['hmac_signature']).toBe(createHmac('sha256', secret).update(text).digest('base64'));
        },
      ),
    );
  });
});
