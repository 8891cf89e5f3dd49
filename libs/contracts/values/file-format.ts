/** A form in which files leave: `name` as clients ask for it, `extension` as the name of the file ends. */
export interface FileFormat<Name extends string = string> {
  name: Name;
  mimeType: string;
  extension: string;
}
