// Tasks of an operator of an engine.
import assert from 'node:assert/strict';

async function get(place, path) {
  const reply = await fetch(place.url + path);
  return { status: reply.status, text: await reply.text() };
}

export const operations = [
  {
    task: 'Ask whether everything is well',
    async steps(step, place) {
      const { stdout } = await step(place.adit('doctor', '--json'));
      const findings = JSON.parse(stdout);
      assert.ok(findings.length > 5, stdout);
      assert.deepEqual(
        findings.filter(({ state, level, status }) => [state, level, status].includes('failed')),
        [],
        stdout,
      );
    },
  },
  {
    task: 'See whether it takes work, and what it does',
    async steps(step, place) {
      assert.equal((await step(get(place, '/readyz'))).status, 200);
      assert.match((await step(get(place, '/metrics'))).text, /^adit_jobs_ended_total/m);
    },
  },
  {
    task: 'Learn why a second engine does not start over the same data',
    async steps(step, place) {
      const { code, stderr } = await step(place.adit('start', '--port', '0'));
      assert.equal(code, 1);
      assert.match(stderr, /is in use by process \d+\. Stop it first/);
      assert.doesNotMatch(stderr, /\n +at /);
    },
  },
];
