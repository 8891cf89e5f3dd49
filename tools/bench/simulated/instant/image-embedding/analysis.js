// A place in every second chunk, of ten in all.
// Its networks stay those of the analysis: a job asks for what the gateway knows, and another build's work is left to that.
import { analysesFolder } from '@adit/analyses';
import { AnalysisRegistry } from '@adit/inference';
import { direction } from '../people.js';

const embedding = (await AnalysisRegistry.scan(analysesFolder)).get('image-embedding');

export default {
  ...embedding,
  async analyse({ packs: [pack] }, { keepPicture, networks }) {
    const { digest, manifest } = networks['image-embedding'];
    const { dimensions } = manifest;
    const chunk = Math.floor(pack.frames[0].time / 10);
    const shown = direction(chunk % 2 === 0 ? (chunk / 2) % 10 : 1_000 + chunk, dimensions);
    const code = Buffer.from(Int8Array.from(shown, (value) => Math.round(value * 400)).buffer).toString('base64');
    const picture = await keepPicture('view', await pack.picture(0), { maxSide: 64 });
    return {
      network: digest,
      dimensions,
      sampled: pack.frames.map(({ frame, time }) => ({ frame, time, embedding: code, view: 0 })),
      views: [{ frame: pack.frames[0].frame, thumbnail: picture, picture }],
    };
  },
};
