import { elementAt } from '@adit/contracts';
import {
  boxMap,
  inputOf,
  type NetworkSession,
  outputNamed,
  type PixelBox,
  type RgbImage,
  runOnPicture,
  squareAround,
} from '@adit/inference';

interface AttributeNetworks {
  /** Face-api.js: years, and probabilities of male and female. */
  ageGender: NetworkSession;
  /** HSE FaceRes: probabilities of 100 ages, probability of male. */
  attributes: NetworkSession;
}

export interface Attributes {
  /** In years. */
  age: number;
  /** Probability that the face reads as female, 0..1. */
  female: number;
}

/** Crop sizes that each network was trained with, in face boxes. */
const AGE_GENDER_MARGIN = 1.2;
const ATTRIBUTES_MARGIN = 1.2;

/** Returns age and gender, averaged over two networks of different training, which err on different faces. */
export async function readAttributes(
  networks: AttributeNetworks,
  picture: RgbImage,
  box: PixelBox,
): Promise<Attributes> {
  const [first, second] = await Promise.all([
    runOnBox(networks.ageGender, picture, squareAround(box, AGE_GENDER_MARGIN)),
    runOnBox(networks.attributes, picture, squareAround(box, ATTRIBUTES_MARGIN)),
  ]);
  const ages = outputNamed(second, 'age_pred/Softmax').data;
  const expected = ages.reduce((sum, probability, years) => sum + probability * years, 0);
  const age = elementAt(outputNamed(first, 'age').data, 0);
  const female = elementAt(outputNamed(first, 'gender').data, 1);
  const male = elementAt(outputNamed(second, 'gender_pred/Sigmoid').data, 0);
  return { age: (age + expected) / 2, female: (female + 1 - male) / 2 };
}

function runOnBox(network: NetworkSession, picture: RgbImage, box: PixelBox): ReturnType<typeof runOnPicture> {
  const { width, height } = inputOf(network);
  return runOnPicture(network, picture, boxMap(box, width, height));
}
