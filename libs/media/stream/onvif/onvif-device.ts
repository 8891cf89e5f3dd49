import { createHash, randomBytes } from 'node:crypto';
import { AditError } from '@adit/contracts';
import { CheckedFetch } from '@adit/net';
import type { Credentials } from '../../fetch/live-address.js';
import { sourceAddresses, type SourcePolicy } from '../../fetch/source-uri.js';
import { connectFault, refused, unavailable } from '../live-faults.js';
import { Authorizer } from '../rtsp/authorization.js';
import { childOf, readXml, type XmlElement } from '../xml.js';

const TIMEOUT_SECONDS = 10;
/** Bytes of an answer: profiles of a recorder with 64 cameras take some hundred kilobytes. */
const MAX_ANSWER_BYTES = 2 << 20;
const SOAP = 'http://www.w3.org/2003/05/soap-envelope';
const WSS = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-';

export interface DeviceOptions {
  credentials: Credentials | null;
  /** Address for messages, without secrets. */
  shown: string;
  policy: SourcePolicy;
}

interface Question {
  url: URL;
  action: string;
  /** The element of the body. */
  body: string;
  /** Answered to anybody; others prove who asks. */
  isOpen?: boolean;
}

/**
 * Asks the services of a camera by SOAP, as ONVIF describes it. Connects to permitted addresses alone, and follows no
 * redirect. Who asks is proven by a digest in the request (WS-Security), and by HTTP where the camera wants that.
 */
export class OnvifDevice {
  private readonly web: CheckedFetch;
  private readonly authorizer: Authorizer | null;
  /** Milliseconds that the camera's clock is ahead: it believes no digest of another time. */
  clockAheadMs = 0;

  constructor(private readonly options: DeviceOptions) {
    const { policy, credentials } = options;
    // Few cameras have a certificate.
    const reach = { addresses: sourceAddresses(policy), allowHttp: true };
    this.web = new CheckedFetch({ policy: reach, timeoutMs: TIMEOUT_SECONDS * 1000, maxBytes: MAX_ANSWER_BYTES });
    this.authorizer = credentials === null ? null : new Authorizer(credentials);
  }

  close(): Promise<void> {
    return this.web.close();
  }

  /**
   * Returns the element that the camera answers with. Throws SOURCE_REFUSED for an address that must not be reached, an
   * answer that is none, and where the user name or password is not accepted; SOURCE_UNAVAILABLE without an answer.
   */
  async ask(question: Question): Promise<XmlElement> {
    for (let tries = 0; ; tries++) {
      const answer = await this.send(question);
      if (answer.status === 401 && this.authorizer !== null) {
        const challenges = [answer.headers.get('www-authenticate') ?? ''];
        if (tries < 2 && this.authorizer.take(challenges, tries > 0)) continue;
      }
      if (answer.status === 401 || answer.status === 403) throw this.unauthorized();
      return await this.read(answer);
    }
  }

  private async send({ url, action, body, isOpen = false }: Question): Promise<Response> {
    const { credentials, shown } = this.options;
    const authorization = this.authorizer?.header('POST', url.pathname) ?? null;
    const security = isOpen || credentials === null ? '' : this.security(credentials);
    try {
      return await this.web.fetch(url.href, {
        method: 'POST',
        headers: {
          'content-type': `application/soap+xml; charset=utf-8; action="${action}"`,
          ...(authorization !== null && { authorization }),
        },
        body: `<?xml version="1.0" encoding="UTF-8"?><s:Envelope xmlns:s="${SOAP}">${security}<s:Body>${body}</s:Body></s:Envelope>`,
      });
    } catch (error) {
      if (AditError.from(error).code === 'TIMED_OUT') {
        throw unavailable(shown, `nobody answers within ${TIMEOUT_SECONDS} s`, error);
      }
      throw connectFault(shown, error, TIMEOUT_SECONDS);
    }
  }

  private async read(answer: Response): Promise<XmlElement> {
    const { shown } = this.options;
    const text = await answer.text();
    if (!/^\s*<|^\ufeff/.test(text)) throw refused(shown, `it answers HTTP status ${answer.status} and no ONVIF`);
    const root = await readXml(text.replace(/^\ufeff/, ''), (reason) => refused(shown, `in its answer, ${reason}`));
    const body = childOf(root, 'Body');
    const fault = body && childOf(body, 'Fault');
    if (fault !== undefined) throw this.faultOf(fault);
    const [found] = body?.children ?? [];
    if (root.name !== 'Envelope' || found === undefined || !answer.ok) {
      throw refused(shown, `it answers HTTP status ${answer.status} and no ONVIF`);
    }
    return found;
  }

  private faultOf(fault: XmlElement): AditError {
    const text = textsOf(fault).join(' ').replace(/\s+/g, ' ').trim();
    if (/not ?authorized|FailedAuthentication|InvalidSecurity/i.test(text)) return this.unauthorized();
    return refused(this.options.shown, `it does not answer the question (${text.slice(0, 200)})`);
  }

  private unauthorized(): AditError {
    const { credentials, shown } = this.options;
    const why = credentials === null ? 'it asks for a user name and a password' : null;
    return refused(shown, why ?? 'it does not accept the user name or the password, or they are not those of ONVIF');
  }

  /** The header that proves who asks without the password (WS-Security UsernameToken Profile 1.0, digest). */
  private security({ username, password }: Credentials): string {
    const nonce = randomBytes(16);
    const created = new Date(Date.now() + this.clockAheadMs).toISOString();
    const digest = createHash('sha1').update(nonce).update(created).update(password).digest('base64');
    const token = [
      `<Username>${escaped(username)}</Username>`,
      `<Password Type="${WSS}username-token-profile-1.0#PasswordDigest">${digest}</Password>`,
      `<Nonce EncodingType="${WSS}soap-message-security-1.0#Base64Binary">${nonce.toString('base64')}</Nonce>`,
      `<Created xmlns="${WSS}wssecurity-utility-1.0.xsd">${created}</Created>`,
    ].join('');
    return `<s:Header><Security s:mustUnderstand="1" xmlns="${WSS}wssecurity-secext-1.0.xsd"><UsernameToken>${token}</UsernameToken></Security></s:Header>`;
  }
}

/** Brings a text into XML. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function textsOf({ text, children }: XmlElement): string[] {
  return [text, ...children.flatMap(textsOf)];
}
