import { createCipheriv, createDecipheriv, pbkdf2Sync, randomBytes } from 'node:crypto';
import type { KeyFlag } from './packets.js';

/** Lengths of keys in bytes. */
export const KEY_BYTES = [16, 24, 32] as const;
export type KeyBytes = (typeof KEY_BYTES)[number];

/** First bytes of each message: version 1, type 2 (key material), and the signature. */
const START = Buffer.from([0x12, 0x20, 0x29]);
const HEAD_BYTES = 16;
const SALT_BYTES = 16;
/** Bytes that wrapping adds. */
const WRAP_BYTES = 8;
const WRAP_START = Buffer.alloc(WRAP_BYTES, 0xa6);
const ITERATIONS = 2048;
const AES_CTR = 2;
const NO_AUTHENTICATION = 0;
/** Contents are MPEG-TS over SRT. */
const ENCAPSULATION = 2;
const EVEN = 1;
const ODD = 2;

/** States that an answer has in place of key material. */
export const KEY_STATE = { noSecret: 3, badSecret: 4, badMode: 5 } as const;

/** Key material that cannot be used. `state` is what the other end is told. */
export class KeyFault extends Error {
  constructor(readonly state: number) {
    super(state === KEY_STATE.badSecret ? 'The passphrase is wrong.' : 'The kind of encryption is not supported.');
  }
}

interface Key {
  key: Buffer;
  salt: Buffer;
}

/**
 * Keys of a connection: packets are encrypted with AES-CTR under an even or an odd key, so that the sender can change
 * them. They travel wrapped (RFC 3394) under a key that PBKDF2 derives from the passphrase.
 */
export class Keys {
  private readonly keys = new Map<number, Key>();
  /** The last message that was taken. */
  private last: Buffer = Buffer.alloc(0);

  constructor(private readonly passphrase: string) {}

  /** Makes the first key and returns the message that carries it. */
  make(bytes: KeyBytes): Buffer {
    const [key, salt] = [randomBytes(bytes), randomBytes(SALT_BYTES)];
    this.keys.set(EVEN, { key, salt });
    const wrap = createCipheriv(wrapping(bytes), this.wrappingKey(salt, bytes), WRAP_START);
    const head = Buffer.from([...START, EVEN, 0, 0, 0, 0, AES_CTR, NO_AUTHENTICATION, ENCAPSULATION, 0]);
    const lengths = Buffer.from([0, 0, SALT_BYTES / 4, bytes / 4]);
    this.last = Buffer.concat([head, lengths, salt, wrap.update(key), wrap.final()]);
    return this.last;
  }

  /** Tells whether a message is the last one that was taken: taking it again costs nothing. */
  knows(message: Buffer): boolean {
    return message.equals(this.last);
  }

  /** Takes the keys of a message. Throws a KeyFault. */
  take(message: Buffer): void {
    if (this.knows(message)) return;
    const { which, salt, bytes, wrapped } = readMessage(message);
    let plain: Buffer;
    try {
      const unwrap = createDecipheriv(wrapping(bytes), this.wrappingKey(salt, bytes), WRAP_START);
      plain = Buffer.concat([unwrap.update(wrapped), unwrap.final()]);
    } catch {
      // Wrapping proves that the key is right.
      throw new KeyFault(KEY_STATE.badSecret);
    }
    const flags = [EVEN, ODD].filter((flag) => (which & flag) !== 0);
    flags.forEach((flag, i) => this.keys.set(flag, { key: plain.subarray(i * bytes, (i + 1) * bytes), salt }));
    this.last = Buffer.from(message);
  }

  /** Decrypts a packet's payload; null without its key. */
  decrypt(sequence: number, flag: KeyFlag, payload: Buffer): Buffer | null {
    const found = this.keys.get(flag);
    if (found === undefined) return null;
    const { key, salt } = found;
    const counter = Buffer.alloc(16);
    counter.writeUInt32BE(sequence, 10);
    for (let i = 0; i < 14; i++) counter[i] = (counter[i] ?? 0) ^ (salt[i] ?? 0);
    return createDecipheriv(`aes-${key.length * 8}-ctr`, key, counter).update(payload);
  }

  private wrappingKey(salt: Buffer, bytes: KeyBytes): Buffer {
    return pbkdf2Sync(this.passphrase, salt.subarray(SALT_BYTES - 8), ITERATIONS, bytes, 'sha1');
  }
}

function wrapping(bytes: KeyBytes): string {
  return `id-aes${bytes * 8}-wrap`;
}

function readMessage(message: Buffer): { which: number; salt: Buffer; bytes: KeyBytes; wrapped: Buffer } {
  const badMode = new KeyFault(KEY_STATE.badMode);
  if (message.length < HEAD_BYTES + SALT_BYTES || !message.subarray(0, START.length).equals(START)) throw badMode;
  const which = message.readUInt8(3) & 3;
  const bytes = KEY_BYTES.find((each) => each === message.readUInt8(15) * 4);
  const isOurs = message.readUInt8(8) === AES_CTR && message.readUInt8(9) === NO_AUTHENTICATION;
  if (!isOurs || which === 0 || bytes === undefined || message.readUInt8(14) * 4 !== SALT_BYTES) throw badMode;
  const wrapped = message.subarray(HEAD_BYTES + SALT_BYTES);
  if (wrapped.length !== WRAP_BYTES + bytes * (which === 3 ? 2 : 1)) throw badMode;
  return { which, salt: Buffer.from(message.subarray(HEAD_BYTES, HEAD_BYTES + SALT_BYTES)), bytes, wrapped };
}
