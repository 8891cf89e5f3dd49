import { setting } from '@adit/runtime';
import { z } from 'zod';

/** Cameras that a recorder connects to. */
export const CameraSettings = z.object({
  uncheckedCertificates: setting(
    'ADIT_STREAM_UNCHECKED_CERTIFICATES',
    z.array(z.string()).default([]),
    'Hosts of rtsps:// and rtmps:// addresses, by name or IP address, whose certificates are not checked, as of cameras that made their own; * for all. Others need a certificate that the system or NODE_EXTRA_CA_CERTS trusts.',
  ),
});

/** Limits on source addresses, checked when a job is posted and again when a source is fetched. */
export const SourceSettings = z.object({
  localRoots: setting(
    'ADIT_LOCAL_ROOTS',
    z.array(z.string()).default([]),
    'Folders that local paths in a job may lie under; none allows no local paths.',
  ),
  allowHttp: setting(
    'ADIT_ALLOW_HTTP',
    z.boolean().default(false),
    'Whether http:// sources are fetched, not only https://.',
  ),
  allowPrivateAddresses: setting(
    'ADIT_ALLOW_PRIVATE_ADDRESSES',
    z.array(z.string()).default([]),
    'Networks in CIDR form that sources may be fetched from although they are not public.',
  ),
  ytDlp: setting(
    'ADIT_YT_DLP',
    z.string().min(1).default('yt-dlp'),
    'Program that films of YouTube and Vimeo are downloaded with: a path, or a name on the PATH. It does not come with Adit; `off` refuses their addresses.',
  ),
  srtListenPorts: setting(
    'ADIT_SRT_LISTEN_PORTS',
    z.array(z.string().regex(/^\d{1,5}(-\d{1,5})?$/)).default([]),
    'UDP ports of the recorder, as 9000 or 9000-9010, at which streams over SRT may be waited for; none allows no listener mode.',
  ),
  srtListenOpen: setting(
    'ADIT_SRT_LISTEN_OPEN',
    z.boolean().default(false),
    'Whether a stream over SRT may be waited for without a passphrase: then anybody who reaches the port can send it.',
  ),
});
