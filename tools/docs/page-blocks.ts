/** A file that a page says to write. */
interface PageFile {
  /** Relative to the repository's root. */
  path: string;
  content: string;
}

export interface PageSteps {
  files: PageFile[];
  /** Command lines, in the page's order. */
  commands: string[];
}

/**
 * Extracts the steps of a Markdown page. Fenced blocks whose info string names a path after the language are files; lines of `sh`
 * blocks are commands. Other blocks only illustrate.
 */
export function stepsOf(page: string): PageSteps {
  const steps: PageSteps = { files: [], commands: [] };
  for (const [, language, path, content] of page.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)) {
    if (path !== undefined) steps.files.push({ path, content: content as string });
    else if (language === 'sh') {
      steps.commands.push(...(content as string).split('\n').filter((line) => line.trim() !== ''));
    }
  }
  return steps;
}
