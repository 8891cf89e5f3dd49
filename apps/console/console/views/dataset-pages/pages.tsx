import { useMemo } from 'preact/hooks';
import type { DatasetPlace } from '../../model/datasets.js';
import { Datasets } from '../../state/datasets/datasets.js';
import { Pictures } from '../../state/pictures.js';
import { GalleriesPage } from '../galleries/galleries.js';
import { GalleryPersonPage } from '../galleries/gallery-person.js';
import { TrainingPage } from '../trainings/training.js';
import { TrainingsPage } from '../trainings/trainings.js';
import { ClassPage } from '../datasets/class.js';
import { DatasetPage } from '../datasets/dataset.js';
import { DatasetsPage } from '../datasets/datasets.js';
import type { DatasetPageProps } from '../datasets/page-props.js';

interface DatasetPagesProps extends Omit<DatasetPageProps, 'pictures'> {
  place: DatasetPlace;
}

/** The page of a place that datasets have. */
export function DatasetPages({ place, ...around }: DatasetPagesProps) {
  const { session } = around;
  const datasets = useMemo(() => new Datasets(session), [session]);
  const pictures = useMemo(() => new Pictures(session), [session]);
  const same = { ...around, pictures };
  switch (place.page) {
    case 'datasets':
      return <DatasetsPage {...same} datasets={datasets} />;
    case 'dataset':
      return <DatasetPage key={place.datasetId} {...same} {...place} />;
    case 'class':
      return <ClassPage key={place.classId} {...same} {...place} />;
    case 'trainings':
      return <TrainingsPage {...same} />;
    case 'training':
      return <TrainingPage key={place.trainingId} {...same} {...place} />;
    case 'galleries':
      return <GalleriesPage {...same} {...place} />;
    case 'gallery-person':
      return <GalleryPersonPage key={place.classId} {...same} {...place} />;
  }
}
