// Tasks of an archivist, by the command line alone.
import assert from 'node:assert/strict';
import { access, copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The newest job of a file. */
async function jobOf(place, name) {
  const { stdout } = await place.adit('jobs', 'list', '--search', name, '--json');
  const [job] = JSON.parse(stdout);
  assert.ok(job, `no job of ${name}: ${stdout}`);
  return job;
}

export const operator = [
  {
    task: 'Mine a folder of films, photos, documents and recordings',
    async steps(step, place) {
      const modules = 'face_recognition,object_scene_recognition,gender_neutrality_estimation';
      const { stderr, stdout } = await step(place.adit('mine', 'archive', '--modules', modules, '--out', 'found'));
      assert.match(stderr, /mined 3, left out 1: speech\.wav \(no module takes it\)/);
      for (const kind of ['pictures', 'documents', 'films']) {
        assert.ok(stdout.includes(join('found', kind, 'report.html')), stdout);
        await access(join(place.folder, 'found', kind, 'report.html'));
      }
    },
  },
  {
    task: 'Have somebody known by name',
    async steps(step, place) {
      const built = await step(place.adit('gallery', 'build', 'people', '--name', 'team'));
      assert.equal(built.code, 0, built.stderr);
      const mined = await step(place.adit('mine', 'archive/1961/photo.jpg', '--model', 'team'));
      assert.match(mined.stdout, /Ada Lovelace/);
    },
  },
  {
    task: 'Find the job of a file',
    async steps(step, place) {
      const { stdout } = await step(place.adit('jobs', 'list', '--search', 'interview'));
      assert.match(stdout, /completed .* interview\.mp4/);
    },
  },
  {
    task: 'Mine a file again that was copied in part, once it is whole',
    async steps(step, place) {
      const source = join(place.folder, 'copied.mp4');
      const { id } = await place.client.jobs.create({ sources: [source], modules: { face_recognition: {} } });
      const failed = await place.client.jobs.wait(id);
      assert.equal(failed.state, 'failed');
      assert.match(failed.errors.join(), /copied\.mp4/);
      await copyFile(join(place.folder, 'archive/interview.mp4'), source);
      const again = await step(place.adit('jobs', 'retry', id));
      assert.equal(again.code, 0, again.stderr);
      const { code, stdout } = await step(place.adit('jobs', 'watch', id));
      assert.deepEqual([code, stdout.includes('completed, 100 %')], [0, true], stdout);
    },
  },
  {
    task: 'Hand what was found to an editing program',
    async steps(step, place) {
      const { id } = await jobOf(place, 'interview');
      const { code, stderr } = await step(place.adit('jobs', 'export', id, '--format', 'edl', '--out', 'cuts.edl'));
      assert.equal(code, 0, stderr);
      assert.match(
        await readFile(join(place.folder, 'cuts.edl'), 'utf8'),
        /^TITLE: interview\.mp4\nFCM: [^]*\n001 {2}INTERVIE/,
      );
    },
  },
  {
    task: 'Have a table of it',
    async steps(step, place) {
      const { id } = await jobOf(place, 'interview');
      const { code, stderr } = await step(place.adit('jobs', 'export', id, '--out', 'found.xlsx'));
      assert.equal(code, 0, stderr);
      assert.equal((await readFile(join(place.folder, 'found.xlsx'))).subarray(0, 2).toString(), 'PK');
    },
  },
  {
    task: 'Be told what a misspelt name should have been',
    async steps(step, place) {
      const { code, stderr } = await step(place.adit('mine', 'archive/interview.mp4', '--modules', 'face_recogniton'));
      assert.deepEqual([code, stderr.includes('Did you mean face_recognition?')], [2, true], stderr);
    },
  },
  {
    task: 'Delete a job with all that it found',
    async steps(step, place) {
      const { id } = await jobOf(place, 'copied');
      const { stdout } = await step(place.adit('jobs', 'delete', id));
      assert.equal(stdout, '1 job deleted.\n');
      await assert.rejects(place.client.jobs.get(id), { code: 'NOT_FOUND' });
    },
  },
];
