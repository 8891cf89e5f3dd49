// In a film two people, others in each chunk, of fifty in all; in a picture one, of BENCH_PEOPLE in all.
// Its networks stay those of the analysis: a job asks for what the gateway knows, and another build's work is left to that.
import { analysesFolder } from '@adit/analyses';
import { AnalysisRegistry } from '@adit/inference';
import { direction } from '../people.js';

const DIMENSIONS = 512;
const IN_FILMS = 50;
const IN_PICTURES = Number(process.env.BENCH_PEOPLE ?? 1_000_000);
const BOX = { x: 0.3, y: 0.2, w: 0.2, h: 0.4 };

const faces = (await AnalysisRegistry.scan(analysesFolder)).get('faces');

export default {
  ...faces,
  async analyse({ unit, packs: [pack] }, { keepPicture }) {
    const sampled = pack.frames.map(({ frame, time }) => ({ frame, time }));
    const chunk = Math.floor(sampled[0].time / 10);
    const people = unit.interval === null ? [unit.sourceIndex % IN_PICTURES] : [2 * chunk, 2 * chunk + 1];
    const keep = async (name) => keepPicture(name, await pack.picture(0), { maxSide: 64 });
    const picture = await keep('frame');
    const tracks = people.map((person, id) => ({
      id,
      sightings: sampled.map((at) => ({ ...at, box: { ...BOX, x: BOX.x * (id + 0.5) }, score: 0.9, size: 120 })),
      views: [view(unit.interval === null ? person : person % IN_FILMS, sampled[0])],
      age: 30 + (person % 40),
      female: person % 2,
      thumbnail: picture,
      keyFrame: { frame: sampled[0].frame, picture },
    }));
    return { sampled, tracks };
  },
};

function view(person, at) {
  const embedding = Buffer.from(direction(person, DIMENSIONS).buffer).toString('base64');
  return { ...at, embedding, quality: 0.8, sharpness: 80, yaw: 0, pitch: 0, roll: 0, size: 120 };
}
