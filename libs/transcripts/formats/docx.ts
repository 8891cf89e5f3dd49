import { Readable } from 'node:stream';
import { clockTime } from '@adit/contracts';
import { contentTypes, relationships, writePackage, XML_HEADER, xmlText, type ZipEntry } from '@adit/ooxml';
import type { Transcript } from '../transcript.js';
import type { TranscriptFileFormat } from '../transcript-format.js';

const MAIN = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

/** A document for Word (ECMA-376, WordprocessingML): above each paragraph when it begins and who speaks. */
export const docx: TranscriptFileFormat<'docx'> = {
  name: 'docx',
  mimeType: `${TYPE}.document`,
  extension: 'docx',
  write: (transcript) => writePackage(files(transcript)),
};

function* files(transcript: Transcript): Generator<ZipEntry> {
  const file = (path: string, xml: string): ZipEntry => ({ path, body: Buffer.from(xml) });
  yield file(
    '[Content_Types].xml',
    contentTypes([
      ['word/document.xml', `${TYPE}.document.main+xml`],
      ['word/styles.xml', `${TYPE}.styles+xml`],
    ]),
  );
  yield file('_rels/.rels', relationships([['officeDocument', 'word/document.xml']]));
  yield file('word/_rels/document.xml.rels', relationships([['styles', 'styles.xml']]));
  yield file('word/styles.xml', styles(transcript.language));
  yield { path: 'word/document.xml', body: Readable.from(documentOf(transcript), { objectMode: false }) };
}

async function* documentOf({ paragraphs }: Transcript): AsyncGenerator<string> {
  yield `${XML_HEADER}<w:document xmlns:w="${MAIN}"><w:body>`;
  for await (const { speaker, text, time_start: start } of paragraphs) {
    const [begun] = clockTime(Math.floor(start) * 1_000, '.').split('.');
    yield paragraph('Speaker', speaker === null ? `${begun}` : `${begun}  ${speaker}`) + paragraph(null, text.trim());
  }
  yield (
    '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1418" w:right="1418" w:bottom="1418" w:left="1418" ' +
    'w:header="709" w:footer="709" w:gutter="0"/></w:sectPr></w:body></w:document>'
  );
}

function paragraph(style: string | null, text: string): string {
  const lines = text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);
  const runs = lines.map((line) => `<w:t xml:space="preserve">${xmlText(line)}</w:t>`).join('<w:br/>');
  const properties = style === null ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r>${runs}</w:r></w:p>`;
}

function styles(language: string | null): string {
  const lang = language === null ? '' : `<w:lang w:val="${xmlText(language)}"/>`;
  return (
    `${XML_HEADER}<w:styles xmlns:w="${MAIN}"><w:docDefaults><w:rPrDefault><w:rPr>` +
    `<w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:cs="Calibri"/><w:sz w:val="22"/>${lang}</w:rPr></w:rPrDefault>` +
    '<w:pPrDefault><w:pPr><w:spacing w:after="160" w:line="276" w:lineRule="auto"/></w:pPr></w:pPrDefault></w:docDefaults>' +
    '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>' +
    '<w:style w:type="paragraph" w:customStyle="1" w:styleId="Speaker"><w:name w:val="Speaker"/><w:basedOn w:val="Normal"/>' +
    '<w:next w:val="Normal"/><w:pPr><w:keepNext/><w:spacing w:after="40"/></w:pPr>' +
    '<w:rPr><w:b/><w:color w:val="595959"/><w:sz w:val="18"/></w:rPr></w:style></w:styles>'
  );
}
