import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { createContext, Script } from 'node:vm';
import { clientScript } from './client-script.js';

/** The function as the page has it: its file needs a document. */
async function enrollCommand(input: object): Promise<string> {
  const script = await clientScript();
  const from = script.indexOf('const quoted');
  const context = createContext({});
  new Script(
    `${script.slice(from, script.indexOf('let lastDataset'))}; globalThis.enrollCommand = enrollCommand`,
  ).runInContext(context);
  return (context as { enrollCommand: (input: object) => string }).enrollCommand(input);
}

describe('the commands that enroll a face', () => {
  it('commands name the segment, and run as they are whatever somebody is called', async () => {
    const name = `O'Neil $(touch /tmp/x) "Jo" \\`;
    const command = await enrollCommand({ dataset: "a'b", name, jobId: 'the-job', seq: 12 });
    // Requests that the commands would make with curl and jq, in the shell that they are for.
    const told = `curl() { printf '%s|' "$@" >&2; }; jq() { printf '%s' the-class; }\n${command}\nprintf '%s' "$name"`;
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', told], {
      env: { PATH: process.env['PATH'], ADIT_SERVER: 'http://engine', ADIT_API_KEY: 'k' },
    });
    expect(stdout).toBe(name);
    const image = "http://engine/api/v1/datasets/a'b/classes/the-class/images/|-d|";
    expect(stderr).toContain(`${image}{"job_id":"the-job","segment_id":12}|`);
  });

  it('commands have nothing in them that a terminal would obey while they are pasted', async () => {
    const name = 'Eve\u0015\u001b[201~\u000f\u0085 Doe';
    const command = await enrollCommand({ dataset: 'a\u0003', name, jobId: 'the-job', seq: 12 });
    expect(command).toContain("name='Eve[201~ Doe'");
    expect(command.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  it('commands ask for no image of a class that could not be made', async () => {
    const command = await enrollCommand({ dataset: 'a', name: 'Eve', jobId: 'the-job', seq: 12 });
    const told = `curl() { printf '%s ' "$@" >&2; return 22; }; jq() { :; }\n${command}`;
    const { stderr } = await promisify(execFile)('bash', ['-c', told], {
      env: { PATH: process.env['PATH'], ADIT_SERVER: 'http://engine', ADIT_API_KEY: 'k' },
    });
    expect(stderr).toContain('/classes/');
    expect(stderr).not.toContain('images');
  });
});
