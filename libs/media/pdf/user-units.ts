import type { WrappedPdfiumModule } from '@embedpdf/pdfium';

/** FPDF_NO_INCREMENTAL of fpdf_save.h. */
const ALL_ANEW = 2;
/** Bytes that may span a border of two pieces: the number of an object, the start of its dictionary and a unit. */
const OVERLAP = 64;
const OBJECT_OR_UNIT = /[\r\n](\d+) \d+ obj\b|\/UserUnit ?([\d.]+)(?=[^\d.])/g;

/**
 * Returns the points per user unit of each page (ISO 32000-1, 14.11.2), by the number of the page's object; PDFium does
 * not report them. PDFium rewrites the document, which unpacks all objects, and the output is searched piece by piece.
 * Most documents have neither units nor packed objects, and are not rewritten.
 * @param file the document's own bytes
 */
export function userUnits(pdfium: WrappedPdfiumModule, document: number, file: Buffer): Map<number, number> {
  const units = new Map<number, number>();
  if (!file.includes('/UserUnit') && !file.includes('/ObjStm')) return units;
  let object = 0;
  let rest = '\n';
  const { pdfium: program } = pdfium;
  const take = program.addFunction((_: number, at: number, length: number): number => {
    const text = rest + Buffer.from(program.HEAPU8.subarray(at, at + length)).toString('latin1');
    let end = 0;
    for (const { index, 0: found, 1: number, 2: unit } of text.matchAll(OBJECT_OR_UNIT)) {
      if (number !== undefined) object = Number(number);
      else if (Number(unit) > 0) units.set(object, Number(unit));
      end = index + found.length;
    }
    rest = text.slice(Math.max(end, text.length - OVERLAP));
    return 1;
  }, 'iiii');
  // The struct FPDF_FILEWRITE: its version, and a callback for each piece.
  const writer = program.wasmExports.malloc(8);
  program.setValue(writer, 1, 'i32');
  program.setValue(writer + 4, take, 'i32');
  pdfium.FPDF_SaveAsCopy(document, writer, ALL_ANEW);
  program.wasmExports.free(writer);
  program.removeFunction(take);
  return units;
}
