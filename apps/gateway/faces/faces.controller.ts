import { FaceComparisonOptions, FaceDetectionOptions, FaceSearchOptions } from '@adit/contracts';
import { Controller, Inject } from '@nestjs/common';
import { Route, type Exchange, type Input } from '../http/route.js';
import { Pictures } from '../online-inference/pictures.js';
import { compareFaces, detectFaces, searchFaces } from './face-routes.js';
import { Faces } from './faces.js';

const ONE_FILE = { file_uri: 'file' };

@Controller()
export class FacesController {
  constructor(
    @Inject(Faces) private readonly faces: Faces,
    @Inject(Pictures) private readonly pictures: Pictures,
  ) {}

  @Route(detectFaces)
  detect({ body }: Input<typeof detectFaces>, { caller, request }: Exchange) {
    const { workspaceId } = caller;
    return this.pictures.with(
      { workspaceId, request, body, fields: ONE_FILE, options: FaceDetectionOptions },
      ({ file_uri: picture }, options) => this.faces.detect(caller, picture, options),
    );
  }

  @Route(compareFaces)
  compare({ body }: Input<typeof compareFaces>, { caller, request }: Exchange) {
    const { workspaceId } = caller;
    return this.pictures.with(
      { workspaceId, request, body, fields: { a: 'a', b: 'b' }, options: FaceComparisonOptions },
      ({ a, b }, options) => this.faces.compare(caller, a, b, options),
    );
  }

  @Route(searchFaces)
  search({ body }: Input<typeof searchFaces>, { caller, request }: Exchange) {
    const { workspaceId } = caller;
    return this.pictures.with(
      { workspaceId, request, body, fields: ONE_FILE, options: FaceSearchOptions },
      ({ file_uri: picture }, options) => this.faces.search(caller, picture, options),
    );
  }
}
