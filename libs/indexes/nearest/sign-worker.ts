/** The thread that keeps signs in memory and compares them, as `SignThread` starts it. */
import { answerRequests } from '@adit/runtime/thread-requests';
import { packedSignsOfArray } from './packed-signs.js';
import { ID_LENGTH, type SignReply, type SignRequest } from './sign-requests.js';
import { SignMemory, SignTable } from './sign-table.js';

/** PostgreSQL's binary form of a bit string begins with its length. */
const BITS_HEADER_BYTES = 4;

const memory = new SignMemory();
const tables = new Map<number, SignTable>();

answerRequests((request: SignRequest): SignReply => {
  if (request.kind === 'nearest') return nearest(request);
  if (request.kind === 'set') set(request);
  else {
    tables.get(request.table)?.drop();
    tables.delete(request.table);
  }
  return null;
});

function set({ table, dimensions, ids, rows, form }: Extract<SignRequest, { kind: 'set' }>): void {
  const into = tables.get(table) ?? new SignTable(memory, dimensions);
  tables.set(table, into);
  const count = ids.length / ID_LENGTH;
  const length = count === 0 ? 0 : rows.length / count;
  for (let at = 0; at < count; at += 1) {
    const row = rows.subarray(at * length, (at + 1) * length);
    const signs = form === 'bits' ? row.subarray(BITS_HEADER_BYTES) : packedSignsOfArray(row);
    into.set(Number(ids.slice(at * ID_LENGTH, (at + 1) * ID_LENGTH)), signs);
  }
}

function nearest({ table, signs, count }: Extract<SignRequest, { kind: 'nearest' }>): SignReply {
  return tables.get(table)?.nearest(signs, count).map(String) ?? null;
}
