import { cameraStreams, type CameraStream, type SourcePolicy } from '@adit/media';
import type { Finding } from '../doctor/finding.js';

/**
 * Asks a camera by ONVIF for its streams, and yields what it offers. Returns the address of the one with the largest
 * pictures, with the user name and password. Throws where the camera cannot be asked.
 */
export async function* largestStream(uri: string, policy: SourcePolicy): AsyncGenerator<Finding, string> {
  const [largest, ...others] = await cameraStreams(uri, policy);
  if (largest === undefined) throw new RangeError('A camera that offers no stream is refused.');
  for (const stream of [largest, ...others]) yield { state: 'good', what: `The camera offers ${described(stream)}` };
  const { otherHost } = largest;
  if (otherHost !== null) {
    yield {
      state: 'warning',
      what: `The camera says that its streams are at ${otherHost}. They are read where it was asked.`,
      advice: 'Behind a router each of its ports has to be passed on, and may be another one there.',
    };
  }
  return largest.secretAddress;
}

function described({ name, encoding, width, height, address }: CameraStream): string {
  const size = width === null || height === null ? [] : [`${width} × ${height}`];
  return `${[name, ...size, ...(encoding === null ? [] : [encoding])].join(', ')}: ${address}`;
}
