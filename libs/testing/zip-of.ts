import { crc32, deflateRawSync } from 'node:zlib';

/** Options of an archive, which a writer in production does not offer. */
interface ZipOptions {
  /** false stores what is in it. */
  compress?: boolean;
  /** false leaves out the flag that names are UTF-8, as Finder does. */
  flag?: boolean;
}

/** A zip archive of a few files (APPNOTE.TXT, 4.3), whatever they are called: a name is text, or its bytes. */
export function zipOf(
  files: Iterable<readonly [path: string | Buffer, content: Buffer]>,
  { compress = true, flag = true }: ZipOptions = {},
): Buffer {
  const [bodies, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [path, content] of files) {
    const name = Buffer.from(path);
    const packed = compress ? deflateRawSync(content) : content;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    local.writeUInt16LE(flag ? 0x800 : 0, 6);
    local.writeUInt16LE(compress ? 8 : 0, 8);
    local.writeUInt32LE(crc32(content), 14);
    local.writeUInt32LE(packed.length, 18);
    local.writeUInt32LE(content.length, 22);
    local.writeUInt16LE(name.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(20, 4);
    // The rest is what stands before the file as well.
    local.copy(central, 6, 4, 30);
    central.writeUInt32LE(offset, 42);
    bodies.push(local, name, packed);
    directory.push(central, name);
    offset += local.length + name.length + packed.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(directory.length / 2, 8);
  end.writeUInt16LE(directory.length / 2, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, entries, end]);
}
