/** @needs time */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { messageBody } from './body.js';
import { standardHeaders } from './signing.js';

const run = promisify(execFile);
const page = new URL('../../docs/guides/webhooks.md', import.meta.url);

interface Case {
  name: string;
  secret: string;
  headers: Record<string, string>;
  body: string;
  genuine: boolean;
}

const standard = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const plain = 'a sécret';
function sent(secrets: string[], age = 0): { headers: Record<string, string>; body: string } {
  const id = '0f5a2c9e-3b1d-4c59-9a44-5f4e6f1b2d37';
  const event = { event: 'job.on_completed', id, timestamp: 1772366400.25, data: '{"job":{"tag":"Zürich"}}' };
  const body = messageBody(event, secrets[0]!);
  const timestamp = Math.floor(Date.now() / 1000) - age;
  return { headers: standardHeaders(secrets, { id, timestamp, body }), body };
}
const cases: Case[] = [
  { name: 'genuine', secret: standard, ...sent([standard]), genuine: true },
  { name: 'genuine, plain secret', secret: plain, ...sent([plain]), genuine: true },
  { name: 'the former of two secrets', secret: plain, ...sent([standard, plain]), genuine: true },
  { name: 'another secret', secret: 'another', ...sent([standard]), genuine: false },
  { name: 'another body', secret: standard, ...sent([standard]), body: '{}', genuine: false },
  { name: 'old', secret: standard, ...sent([standard], 3600), genuine: false },
  { name: 'from the future', secret: standard, ...sent([standard], -3600), genuine: false },
];

let folder: string;
let markdown: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-snippets-'));
  markdown = await readFile(page, 'utf8');
  await writeFile(join(folder, 'cases.json'), JSON.stringify(cases));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The code block of one language under "Verifying". */
function snippet(language: string): string {
  const blocks = [...markdown.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))];
  expect(blocks).toHaveLength(1);
  return blocks[0]![1]!;
}

/** Runs a program that prints a JSON list of verdicts, one for each case. */
async function verdicts(command: string, args: string[], env: Record<string, string> = {}): Promise<unknown> {
  const { stdout } = await run(command, args, { cwd: folder, env: { ...process.env, ...env } });
  return JSON.parse(stdout);
}

const expected = cases.map(({ genuine }) => genuine);
const has = (command: string, args: string[]): Promise<boolean> =>
  run(command, args).then(
    () => true,
    () => false,
  );
const [hasPython, hasGo] = await Promise.all([has('python3', ['--version']), has('go', ['version'])]);
/** A language that is not here is passed over, and said to be. */
const where = (here: boolean, language: string) => {
  if (!here)
    process.stderr.write(
      `NOT TRIED: ${language} is not installed, its snippet in docs/guides/webhooks.md was not run.\n`,
    );
  return here ? it : it.skip;
};

describe('the snippets of docs/guides/webhooks.md tell genuine messages from others', () => {
  it('in TypeScript', async () => {
    const source = `${snippet('ts')}
import { readFileSync } from 'node:fs';
const cases = JSON.parse(readFileSync('cases.json', 'utf8'));
console.log(JSON.stringify(cases.map((one: any) => verify(one.secret, one.headers, one.body))));`;
    const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
    await writeFile(join(folder, 'verify.mjs'), ts.transpile(source, options));
    expect(await verdicts(process.execPath, ['verify.mjs'])).toEqual(expected);
  });

  where(hasPython, 'Python')('in Python', async () => {
    const source = `${snippet('python')}
import json
cases = json.load(open("cases.json", encoding="utf8"))
print(json.dumps([verify(one["secret"], one["headers"], one["body"].encode()) for one in cases]))
`;
    await writeFile(join(folder, 'verify.py'), source);
    expect(await verdicts('python3', ['verify.py'])).toEqual(expected);
  });

  where(hasGo, 'Go')(
    'in Go',
    async () => {
      const library = snippet('go').replace('package webhook', 'package main');
      const main = `package main

import ("encoding/json"; "fmt"; "net/http"; "os")

func main() {
	var cases []struct { Secret string; Headers map[string]string; Body string }
	text, _ := os.ReadFile("cases.json")
	if err := json.Unmarshal(text, &cases); err != nil { panic(err) }
	verdicts := []bool{}
	for _, one := range cases {
		header := http.Header{}
		for name, value := range one.Headers { header.Set(name, value) }
		verdicts = append(verdicts, Verify(one.Secret, header, []byte(one.Body)))
	}
	text, _ = json.Marshal(verdicts)
	fmt.Println(string(text))
}
`;
      await writeFile(join(folder, 'verify.go'), library);
      await writeFile(join(folder, 'main.go'), main);
      await writeFile(join(folder, 'go.mod'), 'module webhook\n\ngo 1.19\n');
      // Nothing is fetched: the snippet stands on Go's own library.
      const offline = { GOFLAGS: '-mod=mod', GOPROXY: 'off', GOTOOLCHAIN: 'local' };
      expect(await verdicts('go', ['run', '.'], offline)).toEqual(expected);
    },
    120_000,
  );
});
