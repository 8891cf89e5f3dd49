import { AditError } from '@adit/contracts';

/** Longest tag in characters: polygons and masks are long. */
const MAX_TAG_LENGTH = 1 << 20;

/** A tag and the text before it. `<a/>` opens and closes. */
export interface XmlTag {
  name: string;
  opens: boolean;
  closes: boolean;
  text: string;
  attribute(name: string): string | undefined;
}

/**
 * Yields the tags of XML in order; skips comments and instructions, and decodes the five XML entities and numeric ones.
 * Throws MEDIA_INVALID for invalid XML, and for a DOCTYPE, which no supported format has.
 */
export function* xmlTags(path: string, xml: string): Generator<XmlTag> {
  const fault = (why: string) => new AditError('MEDIA_INVALID', `${path} is no XML that is read here: ${why}.`);
  const behind = (end: string, from: number): number => {
    const at = xml.indexOf(end, from);
    if (at < 0) throw fault(`nothing ends what begins at character ${from}`);
    return at + end.length;
  };
  let text = '';
  for (let at = 0; ;) {
    const start = xml.indexOf('<', at);
    if (start < 0) return;
    text += xml.slice(at, start);
    if (xml.startsWith('<!--', start)) at = behind('-->', start + 4);
    else if (xml.startsWith('<?', start)) at = behind('?>', start);
    else if (xml.startsWith('<![CDATA[', start)) {
      at = behind(']]>', start);
      text += xml.slice(start + 9, at - 3).replaceAll('&', '&amp;');
    } else if (xml.startsWith('<!', start)) throw fault('it has a DOCTYPE');
    else {
      const end = endOfTag(xml, start);
      if (end === null) throw fault(`the tag at character ${start} does not end, or has more than ${MAX_TAG_LENGTH}`);
      yield tagOf(xml.slice(start + 1, end), text);
      text = '';
      at = end + 1;
    }
  }
}

/** Returns the position of its `>`, which may also occur in quotes before. */
function endOfTag(xml: string, start: number): number | null {
  let quote = '';
  for (let at = start + 1; at < xml.length && at - start < MAX_TAG_LENGTH; at += 1) {
    const letter = xml.charAt(at);
    if (quote !== '') {
      if (letter === quote) quote = '';
    } else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === '>') return at;
  }
  return null;
}

function tagOf(inside: string, text: string): XmlTag {
  const isEnd = inside.startsWith('/');
  const name = /^\/?([^\s/]*)/.exec(inside)?.[1] ?? '';
  const attribute = (wanted: string): string | undefined => {
    // Sticky, so that no text is scanned repeatedly.
    const next = /\s*([^\s="'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y;
    next.lastIndex = name.length;
    for (let found = next.exec(inside); found !== null; found = next.exec(inside)) {
      const [, key, double, single] = found;
      if (key === wanted) return unescaped(double ?? single ?? '');
    }
    return undefined;
  };
  return { name, opens: !isEnd, closes: isEnd || inside.endsWith('/'), text: unescaped(text), attribute };
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (all, decimal, hex, named) => {
    if (named !== undefined) return NAMED[String(named).toLowerCase()] ?? all;
    const code = decimal === undefined ? parseInt(String(hex), 16) : Number(decimal);
    return code > 0x10ffff ? all : String.fromCodePoint(code);
  });
}
