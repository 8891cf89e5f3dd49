/** Begins each part. */
export const XML_HEADER = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
/** Prefix of the types of relationships between parts. */
export const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';

/** `[Content_Types].xml`: of each part, by its path. */
export function contentTypes(parts: [path: string, type: string][]): string {
  const overrides = parts.map(([path, type]) => `<Override PartName="/${path}" ContentType="${type}"/>`);
  return (
    `${XML_HEADER}<Types xmlns="${PACKAGE}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    `${overrides.join('')}</Types>`
  );
}

/** A `.rels` part: targets get the ids `rId1`, `rId2` … */
export function relationships(targets: [type: string, target: string][]): string {
  const all = targets.map(
    ([type, target], at) => `<Relationship Id="rId${at + 1}" Type="${RELATIONSHIPS}/${type}" Target="${target}"/>`,
  );
  return `${XML_HEADER}<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`;
}
