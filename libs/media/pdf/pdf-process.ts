import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium';
import {
  DRAWN,
  MAX_LEFTOVER_BYTES,
  REFUSED,
  refusalByte,
  SIZE_BYTES,
  sizeOfPage,
  type PageOrder,
  type PdfRefusal,
  type PdfSizes,
} from './pdf-orders.js';
import { MAX_PAGES } from './pdf-limits.js';
import { pdfStart } from './pdf-start.js';
import { userUnits } from './user-units.js';

/**
 * Program of `pdf.ts`. `sizes <file>` writes one line of JSON and ends. `first <file> <side>` writes the size of the
 * first page, no side longer than that, and its pixels. A refused document ends it with REFUSED and the reason as the
 * only line of its error text. Without arguments it stays, receives page requests for one document, and answers each
 * with a byte and the pixels.
 */

/**
 * Constants of fpdfview.h: FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY, FPDFBitmap_BGR, FPDF_ANNOT |
 * FPDF_REVERSE_BYTE_ORDER.
 */
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

interface Opened {
  pdfium: WrappedPdfiumModule;
  document: number;
  pages: number;
  file: Buffer;
}

interface OpenedForm extends Opened {
  /** Handle of PDFium's form environment. */
  form: number;
}

async function open(path: string): Promise<Opened> {
  const wasm = readFileSync(createRequire(import.meta.url).resolve('@embedpdf/pdfium/pdfium.wasm'));
  const pdfium = await init({ wasmBinary: wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength) });
  pdfium.FPDF_InitLibrary();
  const whole = readFileSync(path);
  const file = whole.subarray(pdfStart(whole) ?? 0);
  const at = pdfium.pdfium.wasmExports.malloc(file.length);
  if (at === 0) throw new Error('There is not enough memory for the file.');
  pdfium.pdfium.HEAPU8.set(file, at);
  const document = pdfium.FPDF_LoadMemDocument(at, file.length, '');
  if (document === 0) throw new Refusal(LOCKED.includes(pdfium.FPDF_GetLastError()) ? 'locked' : 'damaged');
  const pages = pdfium.FPDF_GetPageCount(document);
  if (pages < 1) throw new Refusal('empty');
  return { pdfium, document, pages, file };
}

/** Measures pages, in pixels as `sizeOfPage`. */
function measure({
  pdfium,
  document,
  file,
}: Opened): (page: number, most?: number) => { width: number; height: number } {
  const units = userUnits(pdfium, document, file);
  const size = pdfium.pdfium.wasmExports.malloc(8);
  return (page, most) => {
    const isKnown = pdfium.FPDF_GetPageSizeByIndexF(document, page, size);
    // The WebAssembly memory may have moved as it grew.
    const [width = 0, height = 0] = isKnown ? new Float32Array(pdfium.pdfium.HEAPU8.buffer, size, 2) : [];
    const unit = units.get(pdfium.EPDFDoc_GetPageObjectNumberByIndex(document, page)) ?? 1;
    return sizeOfPage(width * unit, height * unit, most);
  };
}

async function sizes(path: string): Promise<string> {
  const opened = await open(path);
  const { pages } = opened;
  const sizeOf = measure(opened);
  const runs: PdfSizes['sizes'] = [];
  for (let page = 0; page < Math.min(pages, MAX_PAGES); page++) {
    const pixels = sizeOf(page);
    const last = runs.at(-1);
    if (last?.width !== pixels.width || last.height !== pixels.height) runs.push({ from: page, ...pixels });
  }
  return JSON.stringify({ pages, sizes: runs } satisfies PdfSizes);
}

/** Opens a document with a form environment, without which PDFium does not draw form fields. */
async function openForm(path: string): Promise<OpenedForm> {
  const opened = await open(path);
  const { pdfium, document } = opened;
  return { ...opened, form: pdfium.PDFiumExt_InitFormFillEnvironment(document, pdfium.PDFiumExt_OpenFormFillInfo()) };
}

async function first(path: string, most: number): Promise<Buffer> {
  const opened = await openForm(path);
  const { width, height } = measure(opened)(0, most);
  const size = Buffer.alloc(SIZE_BYTES);
  size.writeUInt32LE(width, 0);
  size.writeUInt32LE(height, 4);
  return Buffer.concat([size, draw(opened, { page: 0, width, height })]);
}

function draw({ pdfium, document, form }: OpenedForm, { page, width, height }: Omit<PageOrder, 'path'>): Buffer {
  const loaded = pdfium.FPDF_LoadPage(document, page);
  if (loaded === 0) throw new Refusal('page');
  const [stride, bytes] = [width * BYTES_A_PIXEL, width * height * BYTES_A_PIXEL];
  const { malloc, free } = pdfium.pdfium.wasmExports;
  const at = malloc(bytes);
  if (at === 0) throw new Error('There is not enough memory for the page.');
  const bitmap = pdfium.FPDFBitmap_CreateEx(width, height, BGR, at, stride);
  pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
  pdfium.FPDF_RenderPageBitmap(bitmap, loaded, 0, 0, width, height, 0, WITH_NOTES_AS_RGB);
  pdfium.FPDF_FFLDraw(form, bitmap, loaded, 0, 0, width, height, 0, WITH_NOTES_AS_RGB);
  const pixels = Buffer.from(pdfium.pdfium.HEAPU8.subarray(at, at + bytes));
  pdfium.FPDFBitmap_Destroy(bitmap);
  free(at);
  pdfium.FORM_OnBeforeClosePage(loaded, form);
  pdfium.FPDF_ClosePage(loaded);
  return pixels;
}

let opened: Promise<OpenedForm> | null = null;

/** Any error but a refusal ends the process, and with it whatever the page left here. */
async function answer(order: PageOrder): Promise<void> {
  try {
    const document = await (opened ??= openForm(order.path));
    const pixels = draw(document, order);
    process.stdout.write(Buffer.of(DRAWN));
    const { length } = document.pdfium.pdfium.HEAPU8;
    process.stdout.write(pixels, () => {
      // WebAssembly never shrinks its memory.
      if (length > document.file.length + MAX_LEFTOVER_BYTES) process.exit();
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    process.stdout.write(Buffer.of(refusalByte(error.reason)));
  }
}

const [, , order, path = '', side] = process.argv;
if (order === 'sizes' || order === 'first') {
  try {
    process.stdout.write(order === 'sizes' ? await sizes(path) : await first(path, Number(side)));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    process.stderr.write(error.reason);
    process.exitCode = REFUSED;
  }
} else {
  process.on('message', (asked: PageOrder) => void answer(asked));
  // The parent has ended.
  process.on('disconnect', () => process.exit());
}
