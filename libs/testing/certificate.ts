import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A certificate that signed itself and its private key, both PEM. */
interface Certificate {
  key: string;
  cert: string;
}

/**
 * Makes a certificate for IPv4 addresses, valid for an hour around now, so that specs can serve https:// without a key in
 * the repository (RFC 5280; ECDSA on P-256). Processes trust it through NODE_EXTRA_CA_CERTS.
 */
export function selfSignedCertificate(addresses: readonly string[]): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const ecdsaWithSha256 = sequence(objectId([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));
  const name = sequence(der(0x31, sequence(objectId([0x55, 4, 3]), der(0x0c, Buffer.from('Adit specs')))));
  const names = sequence(...addresses.map((ip) => der(0x87, Buffer.from(ip.split('.').map(Number)))));
  const extensions = sequence(
    sequence(objectId([0x55, 29, 17]), der(0x04, names)),
    sequence(
      objectId([0x55, 29, 19]),
      der(0x01, Buffer.from([255])),
      der(0x04, sequence(der(0x01, Buffer.from([255])))),
    ),
  );
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ecdsaWithSha256,
    name,
    sequence(utcTime(-1_800_000), utcTime(1_800_000)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, ecdsaWithSha256, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = certificate
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

/** One value in DER (ITU X.690, 8.1). */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...values: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(values));
}

function objectId(bytes: number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}

function utcTime(fromNow: number): Buffer {
  const digits = new Date(Date.now() + fromNow).toISOString().replace(/\D/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}
