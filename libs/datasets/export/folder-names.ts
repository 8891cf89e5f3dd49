/** Names that operating systems reserve for devices. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/i;
const MAX_LENGTH = 100;

/** Folder names of an archive, unique on every system, including case-insensitive ones. */
export class FolderNames {
  private readonly taken = new Set<string>();

  of(label: string): string {
    const plain = label
      .normalize('NFC')
      .replace(/[\\/:*?"<>|\p{Cc}\p{Cs}\p{Cf}]/gu, '_')
      .slice(0, MAX_LENGTH)
      .replace(/^[\s._]+|[\s.]+$/g, '');
    const stem = plain === '' || RESERVED.test(plain) ? `_${plain}` : plain;
    let name = stem;
    for (let count = 2; this.taken.has(name.toLowerCase()); count += 1) name = `${stem} (${count})`;
    this.taken.add(name.toLowerCase());
    return name;
  }
}
