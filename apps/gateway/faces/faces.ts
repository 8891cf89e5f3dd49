import { FaceObservations } from '@adit/analyses';
import { decodeEmbedding, distance as distanceOf } from '@adit/analyses/faces/embedding';
import { MIN_VIEW_SIZE } from '@adit/analyses/faces/observations';
import {
  AditError,
  elementAt,
  type Box,
  type FaceComparison,
  type FaceComparisonOptions,
  type FaceDetection,
  type FaceDetectionOptions,
  type FaceSearch,
  type FaceSearchOptions,
  type PictureFace,
} from '@adit/contracts';
import type { InferenceResponse } from '@adit/database';
import type { ResolvedAnalysis } from '@adit/jobs';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../http/caller.js';
import { OnlineInference } from '../online-inference/online-inference.js';
import type { Picture } from '../online-inference/pictures.js';
import { remapPointers } from '../online-inference/remapped-pointers.js';
import { RequestResolver } from '../modules/resolve-request.js';
import { nearness, NETWORK, rounded, SearchedPeople, type SeenFace } from './searched-people.js';

const MODULE = 'face_recognition';

/**
 * Answers questions about the faces of single pictures. An inference service detects the faces; only the embeddings of
 * a few faces are compared here.
 */
@Injectable()
export class Faces {
  constructor(
    @Inject(OnlineInference) private readonly inference: OnlineInference,
    @Inject(RequestResolver) private readonly resolver: RequestResolver,
    @Inject(SearchedPeople) private readonly people: SearchedPeople,
  ) {}

  async detect(caller: Caller, picture: Picture, options: FaceDetectionOptions): Promise<FaceDetection> {
    const analysis = this.analysisOf(options);
    const answer = await this.inference.ask(caller, picture, { analyses: [analysis], module: null });
    const { width, height } = answer.facts;
    return { width, height, faces: facesOf(answer).map(({ face }) => face), models: analysis.models };
  }

  /** Throws MEDIA_INVALID with a pointer to the picture that shows no face to compare. */
  async compare(caller: Caller, a: Picture, b: Picture, options: FaceComparisonOptions): Promise<FaceComparison> {
    const analysis = this.analysisOf(options);
    const ask = (picture: Picture) => this.inference.ask(caller, picture, { analyses: [analysis], module: null });
    // One after the other: a key that may ask for one picture at a time may compare two.
    const [first, others] = [comparable(await ask(a), a), comparable(await ask(b), b)];
    const one = elementAt(first, 0);
    const matches = others
      .map(({ face, embedding }) => {
        const distance = distanceOf(one.embedding, embedding);
        return { same_person: distance <= options.max_distance, ...nearness(distance), face };
      })
      .sort((x, y) => x.distance - y.distance);
    const { same_person, similarity, distance } = elementAt(matches, 0);
    return { same_person, similarity, distance, face: one.face, matches, models: analysis.models };
  }

  /** The largest face of a photo, to be looked for. Throws MEDIA_INVALID with a pointer to a photo without one. */
  async largest(
    caller: Caller,
    photo: Picture,
    options: FaceDetectionOptions,
  ): Promise<{ embedding: number[]; network: string }> {
    const analysis = this.analysisOf(options);
    const network = analysis.models.find(({ name }) => name === NETWORK);
    if (network === undefined) throw new AditError('INTERNAL', `No ${NETWORK} has looked at the photo.`);
    const answer = await this.inference.ask(caller, photo, { analyses: [analysis], module: null });
    return { embedding: [...elementAt(comparable(answer, photo), 0).embedding], network: network.digest };
  }

  /** Throws VALIDATION for a collection that is not there, or holds faces of another network; MODEL_NOT_INSTALLED. */
  search(caller: Caller, picture: Picture, options: FaceSearchOptions): Promise<FaceSearch> {
    if (options.collection === undefined) return this.searchGallery(caller, picture, options);
    if (options.model === undefined) return this.searchCollection(caller, picture, options, options.collection);
    const message = 'Name a model or a collection, not both.';
    throw new AditError('VALIDATION', message, { errors: [{ pointer: '/collection', code: 'invalid', message }] });
  }

  private async searchCollection(
    caller: Caller,
    picture: Picture,
    options: FaceSearchOptions,
    collection: string,
  ): Promise<FaceSearch> {
    const analysis = this.analysisOf(options);
    await this.people.checkCollection(caller.workspaceId, collection, analysis);
    const answer = await this.inference.ask(caller, picture, { analyses: [analysis], module: null });
    const faces = await this.people.inCollection(caller.workspaceId, collection, facesOf(answer), options);
    const { width, height } = answer.facts;
    return { width, height, faces, models: analysis.models };
  }

  private async searchGallery(caller: Caller, picture: Picture, options: FaceSearchOptions): Promise<FaceSearch> {
    const { model, max_distance, top_k, face_detection_scale } = options;
    const args = {
      ...(model !== undefined && { model }),
      ...(max_distance !== undefined && { max_distance }),
      face_detection_scale,
      enable_top_k: true,
      top_k,
    };
    const [module] = await remapPointers({ [`/modules/${MODULE}`]: '' }, () =>
      this.resolver.resolve(caller.workspaceId, { modules: { [MODULE]: args } }),
    );
    if (module === undefined) throw new AditError('INTERNAL', 'Nothing was resolved.');
    const answer = await this.inference.ask(caller, picture, { analyses: module.analyses, module });
    const models = [...module.models, ...module.analyses.flatMap((analysis) => analysis.models)];
    const { width, height } = answer.facts;
    return { width, height, faces: this.people.inGallery(facesOf(answer), answer.segments), models };
  }

  private analysisOf({ face_detection_scale: detectionScale }: FaceDetectionOptions): ResolvedAnalysis {
    return this.resolver.resolveAnalysis({ analysis: 'faces', args: { detectionScale } });
  }
}

/** Every face that was seen, the largest first. */
function facesOf({ observations }: InferenceResponse): SeenFace[] {
  const { tracks } = FaceObservations.parse(observations['faces']);
  return tracks
    .flatMap(({ sightings, views, age, female }, place): SeenFace[] => {
      const [sighting] = sightings;
      const [view] = views;
      if (sighting === undefined) return [];
      const { box, score, size } = sighting;
      const seen = view ?? { quality: null, sharpness: null, yaw: null, pitch: null, roll: null };
      const { quality, sharpness, yaw, pitch, roll } = seen;
      const gender = female === null ? null : female >= 0.5 ? 'female' : 'male';
      const face: PictureFace = {
        face_bbox: roundedBox(box),
        confidence: score,
        size,
        quality,
        sharpness,
        yaw,
        pitch,
        roll,
        age,
        gender,
      };
      return [{ place, face, embedding: view === undefined ? null : decodeEmbedding(view.embedding) }];
    })
    .sort((a, b) => b.face.size - a.face.size);
}

/** Returns the faces that can be compared, the largest first, at least one. */
function comparable(answer: InferenceResponse, { pointer }: Picture): (SeenFace & { embedding: Float32Array })[] {
  const seen = facesOf(answer);
  const found = seen.flatMap(({ embedding, ...face }) => (embedding === null ? [] : [{ ...face, embedding }]));
  if (found.length > 0) return found;
  const [code, message] = whyNone(seen);
  throw new AditError('MEDIA_INVALID', message, { errors: [{ pointer, code, message }] });
}

/** Why none of these faces, the largest first, can be compared: a code, and a sentence. */
export function whyNone([largest]: readonly SeenFace[]): [code: string, message: string] {
  if (largest === undefined) return ['no_face', 'The picture shows no face.'];
  return largest.face.size < MIN_VIEW_SIZE
    ? ['too_small', 'The faces of the picture are too small to be compared.']
    : ['too_blurred', 'The faces of the picture are too blurred to be compared.'];
}

/** Rounds a box like the results. */
function roundedBox({ x, y, w, h }: Box): Box {
  return { x: rounded(x), y: rounded(y), w: rounded(w), h: rounded(h) };
}
