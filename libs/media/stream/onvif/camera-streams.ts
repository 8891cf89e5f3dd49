import { AditError } from '@adit/contracts';
import { LiveAddress, parseLiveAddress, shownAddress, type Credentials } from '../../fetch/live-address.js';
import type { SourcePolicy } from '../../fetch/source-uri.js';
import { refused } from '../live-faults.js';
import { childOf, childrenOf, type XmlElement } from '../xml.js';
import { parseOnvifAddress } from './onvif-address.js';
import { escaped, OnvifDevice } from './onvif-device.js';

/** A stream that a camera offers. */
export interface CameraStream {
  name: string;
  /** As the camera says it: `H264`, 1920 and 1080; null where it does not. */
  encoding: string | null;
  width: number | null;
  height: number | null;
  /** Where it is read, without user name and password. */
  address: string;
  /** The same with those that the camera was asked with. */
  secretAddress: string;
  /** Host that the camera named, where that is another one than it was asked at. */
  otherHost: string | null;
}

/** Streams that are asked for: each is a question. */
const MAX_STREAMS = 8;
const DEVICE = 'http://www.onvif.org/ver10/device/wsdl';
const MEDIA = 'http://www.onvif.org/ver10/media/wsdl';
const SCHEMA = 'http://www.onvif.org/ver10/schema';

/**
 * Asks a camera by ONVIF where its streams are, the largest pictures first. Whatever it answers, its media service and its
 * streams are looked for at the host that it was asked at: it may not know the address by which it is reached, and must
 * not lead elsewhere. Throws VALIDATION for the address, else as `OnvifDevice.ask` does.
 */
export async function cameraStreams(uri: string, policy: SourcePolicy): Promise<CameraStream[]> {
  const { url, credentials } = parseOnvifAddress(uri);
  const shown = shownAddress(uri);
  const device = new OnvifDevice({ credentials, shown, policy });
  try {
    device.clockAheadMs = await clockAhead(device, url);
    const media = await mediaService(device, url, shown);
    const answer = await device.ask({
      url: media,
      action: `${MEDIA}/GetProfiles`,
      body: `<GetProfiles xmlns="${MEDIA}"/>`,
    });
    const profiles = childrenOf(answer, 'Profiles')
      .flatMap((profile) => pictureProfile(profile) ?? [])
      .sort((a, b) => pixelsOf(b) - pixelsOf(a))
      .slice(0, MAX_STREAMS);
    if (profiles.length === 0) throw refused(shown, 'it offers no pictures');
    const streams: CameraStream[] = [];
    for (const { token, ...profile } of profiles) {
      const address = await streamAddress(device, media, token);
      streams.push({ ...profile, ...placed(address, url, { credentials, shown }) });
    }
    return streams;
  } finally {
    await device.close();
  }
}

/** Milliseconds that the camera's clock is ahead; 0 where it does not tell. */
async function clockAhead(device: OnvifDevice, url: URL): Promise<number> {
  const body = `<GetSystemDateAndTime xmlns="${DEVICE}"/>`;
  try {
    const answer = await device.ask({ url, action: `${DEVICE}/GetSystemDateAndTime`, body, isOpen: true });
    const time = within(answer, 'SystemDateAndTime', 'UTCDateTime');
    const number = (part: string, name: string): number => Number(within(time, part, name)?.text);
    const day = [number('Date', 'Year'), number('Date', 'Month') - 1, number('Date', 'Day')] as const;
    const then = Date.UTC(...day, number('Time', 'Hour'), number('Time', 'Minute'), number('Time', 'Second'));
    return Number.isNaN(then) ? 0 : then - Date.now();
  } catch (error) {
    // Some tell it only to those who may ask; their clocks have to be right.
    if (AditError.from(error).code !== 'SOURCE_REFUSED') throw error;
    return 0;
  }
}

async function mediaService(device: OnvifDevice, url: URL, shown: string): Promise<URL> {
  const body = `<GetCapabilities xmlns="${DEVICE}"><Category>Media</Category></GetCapabilities>`;
  const answer = await device.ask({ url, action: `${DEVICE}/GetCapabilities`, body });
  const address = within(answer, 'Capabilities', 'Media', 'XAddr')?.text.trim() ?? '';
  if (!URL.canParse(address)) throw refused(shown, 'it has no media service');
  const service = new URL(url);
  const { hostname, pathname, protocol, port } = new URL(address);
  if (protocol === 'http:' && hostname === url.hostname) service.port = port;
  service.pathname = pathname;
  return service;
}

type Profile = Pick<CameraStream, 'name' | 'encoding' | 'width' | 'height'> & { token: string };

/** Null for one without pictures. */
function pictureProfile(profile: XmlElement): Profile | null {
  const encoder = childOf(profile, 'VideoEncoderConfiguration');
  const token = profile.attributes['token'];
  if (encoder === undefined || token === undefined) return null;
  const side = (name: string): number | null => {
    const length = Number(within(encoder, 'Resolution', name)?.text);
    return Number.isInteger(length) && length > 0 && length <= 65_535 ? length : null;
  };
  const name = childOf(profile, 'Name')?.text.trim() ?? '';
  const encoding = childOf(encoder, 'Encoding')?.text.trim() ?? '';
  return {
    name: (name || token).slice(0, 100),
    encoding: /^[\w.-]{1,20}$/.test(encoding) ? encoding : null,
    width: side('Width'),
    height: side('Height'),
    token,
  };
}

function pixelsOf({ width, height }: Profile): number {
  return (width ?? 0) * (height ?? 0);
}

async function streamAddress(device: OnvifDevice, url: URL, token: string): Promise<string> {
  const setup = `<Stream xmlns="${SCHEMA}">RTP-Unicast</Stream><Transport xmlns="${SCHEMA}"><Protocol>RTSP</Protocol></Transport>`;
  const body = `<GetStreamUri xmlns="${MEDIA}"><StreamSetup>${setup}</StreamSetup><ProfileToken>${escaped(token)}</ProfileToken></GetStreamUri>`;
  const answer = await device.ask({ url, action: `${MEDIA}/GetStreamUri`, body });
  return within(answer, 'MediaUri', 'Uri')?.text.trim() ?? '';
}

/** Puts a stream's address to the host that the camera was asked at. */
function placed(
  address: string,
  { hostname }: URL,
  { credentials, shown }: { credentials: Credentials | null; shown: string },
): Pick<CameraStream, 'address' | 'secretAddress' | 'otherHost'> {
  let named: LiveAddress;
  try {
    named = parseLiveAddress(address);
  } catch (error) {
    throw refused(shown, `it names no address of a stream (${AditError.from(error).message})`);
  }
  const { protocol, host, port, path } = named;
  if (protocol !== 'rtsp' && protocol !== 'rtsps') throw refused(shown, `its stream is not RTSP but ${protocol}`);
  const here = new LiveAddress(protocol, hostname, port, path, null);
  const { username = '', password = '' } = credentials ?? {};
  const secret = credentials === null ? '' : `${encodeURIComponent(username)}:${encodeURIComponent(password)}@`;
  return {
    address: String(here),
    secretAddress: String(here).replace('://', () => `://${secret}`),
    otherHost: host === hostname ? null : host,
  };
}

function within(element: XmlElement | undefined, ...names: readonly string[]): XmlElement | undefined {
  return names.reduce<XmlElement | undefined>((at, name) => at && childOf(at, name), element);
}
