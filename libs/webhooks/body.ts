import { hmacSignature } from './signing.js';

interface Message {
  event: string;
  /** The delivery's id: the same at every attempt. */
  id: string;
  /** Unix seconds with fraction, when it happened. */
  timestamp: number;
  /** JSON, put into the body byte for byte. */
  data: string;
}

/** The body of a delivery: `{event, id, timestamp, data, hmac_signature}`, the same at every attempt under one secret. */
export function messageBody({ event, id, timestamp, data }: Message, secret: string): string {
  const head = JSON.stringify({ event, id, timestamp }).slice(0, -1);
  return `${head},"data":${data},"hmac_signature":${JSON.stringify(hmacSignature(secret, data))}}`;
}
