import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const SOAP = 'http://www.w3.org/2003/05/soap-envelope';
const SCHEMA = 'http://www.onvif.org/ver10/schema';
const SERVICES = { tds: 'http://www.onvif.org/ver10/device/wsdl', trt: 'http://www.onvif.org/ver10/media/wsdl' };
/** Longest time that a digest may be old. */
const BELIEVED_MS = 5000;

export interface OnvifCameraOptions {
  user?: { name: string; password: string };
  /** Takes HTTP digests in place of those in the request. */
  httpDigest?: boolean;
  /** Milliseconds that its clock is ahead. */
  clockAheadMs?: number;
  /** Host and port by which it names itself. */
  named?: string;
  /** Address of the stream of a profile, by its token. */
  stream?: (token: string) => string;
  /** Answers in its place: a body, by the name of the question; null for the usual one. */
  answer?: (name: string) => string | null;
}

export interface OnvifCamera {
  port: number;
  /** Names of the questions, in order. */
  asked: string[];
  close(): Promise<void>;
}

/** A camera of this machine that answers by ONVIF (Core and Media specifications, version 1 of both services). */
export async function onvifCamera(options: OnvifCameraOptions = {}): Promise<OnvifCamera> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, options, asked).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: OnvifCameraOptions,
  asked: string[],
): Promise<void> {
  let text = '';
  for await (const piece of request) text += String(piece);
  const [, name = '', namespace = ''] = /<s:Body><(\w+) xmlns="([^"]*)"/.exec(text) ?? [];
  const service = request.url === '/onvif/media' ? 'trt' : 'tds';
  asked.push(name);
  const send = (status: number, body: string): void => {
    const names = Object.entries(SERVICES).map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`);
    response.writeHead(status, { 'content-type': 'application/soap+xml; charset=utf-8' });
    response.end(
      `<?xml version="1.0" encoding="UTF-8"?>\n<SOAP-ENV:Envelope xmlns:SOAP-ENV="${SOAP}" xmlns:tt="${SCHEMA}" ${names.join(' ')}><SOAP-ENV:Body>${body}</SOAP-ENV:Body></SOAP-ENV:Envelope>`,
    );
  };
  if (request.method !== 'POST' || namespace !== SERVICES[service]) return send(400, fault('ter:ActionNotSupported'));
  const own = options.answer?.(name) ?? null;
  if (own !== null) return void response.end(own);
  const { user, httpDigest = false } = options;
  if (user !== undefined && name !== 'GetSystemDateAndTime') {
    if (httpDigest && !isHttpDigest(request, user)) {
      response.writeHead(401, {
        'www-authenticate': 'Digest realm="camera", nonce="abc123", qop="auth", algorithm=MD5',
      });
      return void response.end();
    }
    if (!httpDigest && !isBelieved(text, user, options.clockAheadMs ?? 0)) return send(400, fault('ter:NotAuthorized'));
  }
  send(200, bodyOf(name, text, options, request.headers.host ?? ''));
}

function fault(code: string): string {
  return `<SOAP-ENV:Fault><SOAP-ENV:Code><SOAP-ENV:Value>SOAP-ENV:Sender</SOAP-ENV:Value><SOAP-ENV:Subcode><SOAP-ENV:Value>${code}</SOAP-ENV:Value></SOAP-ENV:Subcode></SOAP-ENV:Code><SOAP-ENV:Reason><SOAP-ENV:Text xml:lang="en">Refused</SOAP-ENV:Text></SOAP-ENV:Reason></SOAP-ENV:Fault>`;
}

/** UsernameToken Profile 1.0, 3.1: the digest of nonce, time and password, of this moment by the camera's clock. */
function isBelieved(text: string, user: { name: string; password: string }, aheadMs: number): boolean {
  const element = (tag: string): string => new RegExp(`<${tag}[^>]*>([^<]*)</${tag}>`).exec(text)?.[1] ?? '';
  const created = element('Created');
  const hash = createHash('sha1')
    .update(Buffer.from(element('Nonce'), 'base64'))
    .update(created);
  const isNew = Math.abs(Date.parse(created) - Date.now() - aheadMs) < BELIEVED_MS;
  return (
    isNew && element('Username') === user.name && element('Password') === hash.update(user.password).digest('base64')
  );
}

/** RFC 7616 with MD5 and qop "auth". */
function isHttpDigest({ headers, method, url }: IncomingMessage, user: { name: string; password: string }): boolean {
  const field = (name: string): string =>
    new RegExp(`\\b${name}="?([^",]*)`).exec(headers.authorization ?? '')?.[1] ?? '';
  const md5 = (...texts: string[]): string => createHash('md5').update(texts.join(':')).digest('hex');
  const secret = md5(user.name, 'camera', user.password);
  const wanted = md5(secret, 'abc123', field('nc'), field('cnonce'), 'auth', md5(method ?? '', url ?? ''));
  return field('username') === user.name && field('response') === wanted;
}

/** Profiles: one of sound alone, a small one and a large one. */
const PROFILES = [
  '<trt:Profiles token="sound"><tt:Name>Sound</tt:Name></trt:Profiles>',
  ...[
    ['sub', 'Sub &amp; web', 640, 360],
    ['main', 'Main', 1920, 1080],
  ].map(
    ([token, name, width, height]) =>
      `<trt:Profiles token="${token}" fixed="true"><tt:Name>${name}</tt:Name><tt:VideoEncoderConfiguration token="e"><tt:Encoding>H264</tt:Encoding><tt:Resolution><tt:Width>${width}</tt:Width><tt:Height>${height}</tt:Height></tt:Resolution></tt:VideoEncoderConfiguration></trt:Profiles>`,
  ),
].join('');

function bodyOf(name: string, text: string, options: OnvifCameraOptions, host: string): string {
  const { clockAheadMs = 0, named = host, stream = (token) => `rtsp://${named}/${token}` } = options;
  if (name === 'GetSystemDateAndTime') {
    const now = new Date(Date.now() + clockAheadMs);
    const time = `<tt:Time><tt:Hour>${now.getUTCHours()}</tt:Hour><tt:Minute>${now.getUTCMinutes()}</tt:Minute><tt:Second>${now.getUTCSeconds()}</tt:Second></tt:Time>`;
    const date = `<tt:Date><tt:Year>${now.getUTCFullYear()}</tt:Year><tt:Month>${now.getUTCMonth() + 1}</tt:Month><tt:Day>${now.getUTCDate()}</tt:Day></tt:Date>`;
    return `<tds:GetSystemDateAndTimeResponse><tds:SystemDateAndTime><tt:DateTimeType>NTP</tt:DateTimeType><tt:DaylightSavings>false</tt:DaylightSavings><tt:UTCDateTime>${time}${date}</tt:UTCDateTime></tds:SystemDateAndTime></tds:GetSystemDateAndTimeResponse>`;
  }
  if (name === 'GetCapabilities') {
    return `<tds:GetCapabilitiesResponse><tds:Capabilities><tt:Media><tt:XAddr>http://${named}/onvif/media</tt:XAddr></tt:Media></tds:Capabilities></tds:GetCapabilitiesResponse>`;
  }
  if (name === 'GetProfiles') return `<trt:GetProfilesResponse>${PROFILES}</trt:GetProfilesResponse>`;
  const token = /<ProfileToken>([^<]*)</.exec(text)?.[1] ?? '';
  return `<trt:GetStreamUriResponse><trt:MediaUri><tt:Uri>${stream(token).replaceAll('&', '&amp;')}</tt:Uri><tt:Timeout>PT60S</tt:Timeout></trt:MediaUri></trt:GetStreamUriResponse>`;
}
