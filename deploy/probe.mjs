// Asks one address and ends with 0 when it says yes: a health check that needs nothing but Node.
import { get } from 'node:https';

const WITHIN_MS = 4_000;
const [address] = process.argv.slice(2);
try {
  const { ok, said } = await plain(address).catch((error) => {
    // A gateway with a certificate of its own speaks HTTPS alone; this one asks it by an address that no certificate names.
    if (process.env.ADIT_TLS_CERT_FILE === undefined) throw error;
    return secure(address.replace(/^http:/, 'https:'));
  });
  if (!ok) console.error(said);
  process.exitCode = ok ? 0 : 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

async function plain(url) {
  const reply = await fetch(url, { signal: AbortSignal.timeout(WITHIN_MS) });
  return { ok: reply.ok, said: `${reply.status} ${await reply.text()}` };
}

function secure(url) {
  return new Promise((resolve, reject) => {
    const asked = get(url, { rejectUnauthorized: false, signal: AbortSignal.timeout(WITHIN_MS) }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (part) => (text += part));
      reply.on('end', () => resolve({ ok: reply.statusCode === 200, said: `${reply.statusCode} ${text}` }));
    });
    asked.on('error', reject);
  });
}
