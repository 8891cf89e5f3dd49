import { hash } from 'node:crypto';
import { AditError, AccessScope } from '@adit/contracts';
import { AccessKeyEntity } from '@adit/database';
import { Inject, Injectable } from '@nestjs/common';
import { errors, jwtVerify } from 'jose';
import { DataSource } from 'typeorm';
import type { Caller } from '../http/caller.js';
import { reachedExports } from './access-scopes.js';
import { KeyMemory } from './key-memory.js';
import { networkOf } from './network-of.js';
import { NO_LIMITS_OF_ITS_OWN } from './rate-limits.js';

/** `<key>.<header>.<payload>.<signature>`; what a header line can hold at the most. */
const TOKEN = /^([A-Za-z0-9_-]{20})\.([A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*)$/;
const MAX_LENGTH = 8_192;
/** Keeps an unknown key's refusal from being any faster than a wrong signature's. */
const NOBODYS_SECRET = new Uint8Array(32);

interface Signer {
  caller: Omit<Caller, 'countedAs'>;
  secret: Uint8Array;
}

/** Verifies the tokens that holders of an access key sign for their end users. */
@Injectable()
export class AccessTokens {
  private readonly memory = new KeyMemory<Signer>();

  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /**
   * Who stands behind `<key>.<jwt>`. HS256 alone, under the secret's UTF-8 bytes; `exp` and `nbf` count when they are
   * there, no claim is needed. Throws UNAUTHENTICATED: for a token whose time is over or has not come, saying so.
   *
   * @param address that it came from: what a token without a subject is counted by.
   */
  async verify(token: string, address: string): Promise<Caller> {
    const [, key, jwt] = token.length <= MAX_LENGTH ? (TOKEN.exec(token) ?? []) : [];
    if (key === undefined || jwt === undefined) throw refused();
    const signer = await this.memory.find(key, () => this.lookUp(key));
    let subject: string | undefined;
    try {
      // jose has WebCrypto compare the signatures, in constant time.
      const verified = await jwtVerify(jwt, signer?.secret ?? NOBODYS_SECRET, { algorithms: ['HS256'] });
      subject = textOrNone(verified.payload.sub);
    } catch (error) {
      throw signer !== null && isOutOfTime(error) ? refused('Its time is over, or has not come.') : refused();
    }
    if (signer === null) throw refused();
    // Keys of one length, however long a subject is.
    const who = subject === undefined ? networkOf(address) : `of ${hash('sha256', subject, 'base64')}`;
    return { ...signer.caller, countedAs: `${key} ${who}` };
  }

  /** To be called when an access key was changed or revoked. */
  forget(key: string): void {
    this.memory.forget(key);
  }

  private async lookUp(key: string) {
    const row = await this.db.manager.findOneBy(AccessKeyEntity, { key });
    if (row === null) return null;
    const { workspaceId, name } = row;
    const scopes = AccessScope.array().parse(row.scopes);
    const caller: Omit<Caller, 'countedAs'> = {
      kind: 'access-key',
      workspaceId,
      keyId: key,
      signer: key,
      maker: null,
      name,
      role: 'access-key',
      scopes,
      exportStrategies: reachedExports(row.exportStrategies),
      limits: NO_LIMITS_OF_ITS_OWN,
    };
    return { keyId: key, value: { caller, secret: new TextEncoder().encode(row.secret) } };
  }
}

/** jose believes what it types: a claim may be anything. */
function textOrNone(claim: unknown): string | undefined {
  return typeof claim === 'string' && claim !== '' ? claim : undefined;
}

/** Only a signature that is right gets as far as the claims. */
function isOutOfTime(error: unknown): boolean {
  return (
    error instanceof errors.JWTExpired ||
    (error instanceof errors.JWTClaimValidationFailed && error.claim === 'nbf' && error.reason === 'check_failed')
  );
}

function refused(why = 'Sign it with HS256 and the secret of an access key, and send <key>.<jwt>.'): AditError {
  return new AditError('UNAUTHENTICATED', `The token is not valid. ${why}`);
}
