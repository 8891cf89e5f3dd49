import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium';
import { MOST_PAGES, REFUSED, sizeOfPage, type PdfRefusal, type PdfSizes } from './pdf-orders.js';

/**
 * The program of `pdf.ts`: `sizes <file>` writes a line of JSON, `draw <file> <page> <width> <height>` the page's pixels, in RGB, row
 * after row. A document that is refused ends it with REFUSED, and why as the only line of its error text.
 */

/** Of fpdfview.h: FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY, FPDFBitmap_BGR, FPDF_ANNOT | FPDF_REVERSE_BYTE_ORDER. */
const LOCKED = [4, 5];
const BYTES_A_PIXEL = 3;
const BGR = 2;
const WITH_NOTES_AS_RGB = 0x01 | 0x10;
const WHITE = 0xffffffff;

class Refusal extends Error {
  constructor(readonly reason: PdfRefusal) {
    super(reason);
  }
}

async function open(path: string): Promise<{ pdfium: WrappedPdfiumModule; document: number; pages: number }> {
  const wasm = readFileSync(createRequire(import.meta.url).resolve('@embedpdf/pdfium/pdfium.wasm'));
  const pdfium = await init({ wasmBinary: wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength) });
  pdfium.FPDF_InitLibrary();
  const file = readFileSync(path);
  const at = pdfium.pdfium.wasmExports.malloc(file.length);
  if (at === 0) throw new Error('There is no memory for the file.');
  pdfium.pdfium.HEAPU8.set(file, at);
  const document = pdfium.FPDF_LoadMemDocument(at, file.length, '');
  if (document === 0) throw new Refusal(LOCKED.includes(pdfium.FPDF_GetLastError()) ? 'locked' : 'damaged');
  const pages = pdfium.FPDF_GetPageCount(document);
  if (pages < 1) throw new Refusal('empty');
  return { pdfium, document, pages };
}

async function sizes(path: string): Promise<PdfSizes> {
  const { pdfium, document, pages } = await open(path);
  const runs: PdfSizes['sizes'] = [];
  const size = pdfium.pdfium.wasmExports.malloc(8);
  for (let page = 0; page < Math.min(pages, MOST_PAGES); page++) {
    const isKnown = pdfium.FPDF_GetPageSizeByIndexF(document, page, size);
    // The memory may have moved as it grew.
    const [width = 0, height = 0] = isKnown ? new Float32Array(pdfium.pdfium.HEAPU8.buffer, size, 2) : [];
    const pixels = sizeOfPage(width, height);
    const last = runs.at(-1);
    if (last?.width !== pixels.width || last.height !== pixels.height) runs.push({ from: page, ...pixels });
  }
  return { pages, sizes: runs };
}

async function draw(path: string, page: number, width: number, height: number): Promise<Buffer> {
  const { pdfium, document } = await open(path);
  const loaded = pdfium.FPDF_LoadPage(document, page);
  if (loaded === 0) throw new Refusal('page');
  const [stride, bytes] = [width * BYTES_A_PIXEL, width * height * BYTES_A_PIXEL];
  const at = pdfium.pdfium.wasmExports.malloc(bytes);
  if (at === 0) throw new Error('There is no memory for the page.');
  const bitmap = pdfium.FPDFBitmap_CreateEx(width, height, BGR, at, stride);
  pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
  pdfium.FPDF_RenderPageBitmap(bitmap, loaded, 0, 0, width, height, 0, WITH_NOTES_AS_RGB);
  return Buffer.from(pdfium.pdfium.HEAPU8.buffer, at, bytes);
}

const [, , order, path = '', ...numbers] = process.argv;
try {
  const [page = 0, width = 1, height = 1] = numbers.map(Number);
  process.stdout.write(order === 'draw' ? await draw(path, page, width, height) : JSON.stringify(await sizes(path)));
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  process.stderr.write(error.reason);
  process.exitCode = REFUSED;
}
