import { AditError } from '@adit/contracts';
import { z } from 'zod';
import type { Web } from './web.js';

/** Default index of pip. */
export const PYTHON_PACKAGE_INDEX = 'https://pypi.org/simple/';

export interface PythonPackage {
  name: string;
  version: string;
}

/** A wheel of a package in an index. */
export interface IndexedWheel {
  filename: string;
  url: URL;
  /** Null where the index does not state it. */
  sha256: string | null;
}

/** Limit of an index page of one package. */
const MAX_PAGE_BYTES = 16 << 20;
const ACCEPTED = 'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1';

const Page = z.object({
  files: z.array(
    z.object({ filename: z.string(), url: z.string(), hashes: z.record(z.string(), z.string()).default({}) }),
  ),
});

/**
 * The wheel of one version of a package in an index: Python's simple API, as JSON (PEP 691) or HTML (PEP 503). Throws
 * UNAVAILABLE when the index cannot be reached or has none.
 */
export async function findWheel(web: Web, index: URL, wanted: PythonPackage): Promise<IndexedWheel> {
  const place = index.href.endsWith('/') ? index : new URL(`${index.href}/`);
  const url = new URL(`${normalised(wanted.name)}/`, place);
  const reply = await web.get(url, { accept: ACCEPTED });
  if (reply.status === 404) throw missing(wanted, index);
  if (!reply.ok) throw new AditError('UNAVAILABLE', `${index.host} answered ${reply.status} to ${url.pathname}.`);
  const page = await web.text(reply, MAX_PAGE_BYTES);
  const isJson = (reply.headers.get('content-type') ?? '').includes('json');
  // Addresses are relative to the final page after redirects.
  const base = new URL(reply.url || url);
  const wheels = isJson ? ofJson(page, base, index) : ofHtml(page, base);
  const wheel = wheels.find(({ filename }) => isWheelOf(filename, wanted));
  if (wheel === undefined) throw missing(wanted, index);
  return wheel;
}

/** Tests whether a file name is that of a wheel of the version. */
export function isWheelOf(filename: string, { name, version }: PythonPackage): boolean {
  const [found = '', number] = filename.split('-');
  return filename.endsWith('.whl') && normalised(found) === normalised(name) && number === version;
}

function ofJson(page: string, base: URL, index: URL): IndexedWheel[] {
  const parsed = Page.safeParse(parsedJson(page));
  if (!parsed.success) throw new AditError('UNAVAILABLE', `${index.host} is no index of Python packages.`);
  return parsed.data.files.flatMap(({ filename, url, hashes }) => {
    const address = addressOf(url, base);
    return address === null ? [] : [{ filename, url: address, sha256: hashes['sha256'] ?? null }];
  });
}

function ofHtml(page: string, base: URL): IndexedWheel[] {
  return [...page.matchAll(/<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)')[^>]*>([^<]*)<\/a>/gi)].flatMap(
    ([, double, single, text = '']) => {
      const url = addressOf((double ?? single ?? '').replaceAll('&amp;', '&'), base);
      if (url === null) return [];
      const sha256 = /sha256=([0-9a-f]{64})/.exec(url.hash)?.[1] ?? null;
      return [{ filename: text.trim(), url, sha256 }];
    },
  );
}

function addressOf(text: string, base: URL): URL | null {
  const url = URL.canParse(text, base.href) ? new URL(text, base) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url : null;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** PEP 503. */
function normalised(name: string): string {
  return name.replace(/[-_.]+/g, '-').toLowerCase();
}

function missing({ name, version }: PythonPackage, index: URL): AditError {
  return new AditError('UNAVAILABLE', `${index.host} has no wheel of ${name} ${version}; --from names another index.`);
}
