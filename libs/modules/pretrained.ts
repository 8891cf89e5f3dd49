/**
 * Models that the interface names and that cannot be distributed. An installation has its own under that name: its
 * description, and the command that builds it.
 */
const PRETRAINED: Readonly<Record<string, { is: string; made: string }>> = {
  celebrities: {
    is: 'a face gallery of public personalities',
    made: 'adit gallery build PEOPLE --name celebrities (a folder of photos for each person)',
  },
  'general-b': {
    is: 'a landmark model of sights in Europe and North America',
    made: 'adit landmark build PLACES --name general-b (a folder of photos for each sight)',
  },
  europe: {
    is: 'a landmark model of sights in Europe',
    made: 'adit landmark build PLACES --name europe (a folder of photos for each sight)',
  },
  'zero-shot': {
    is: 'a model of images and text',
    made: 'adit model add vision_model.onnx --name zero-shot, and adit model add text_model.onnx --name zero-shot-text (CLIP or SigLIP, exported to ONNX)',
  },
};

/** Returns advice for an error about missing models: how to get those that the interface names; empty for others. */
export function howToGet(names: readonly string[]): string {
  return [...new Set(names)]
    .flatMap((name) => {
      const known = Object.hasOwn(PRETRAINED, name) ? PRETRAINED[name] : undefined;
      return known === undefined
        ? []
        : [
            ` ${name} would be ${known.is}; none comes with Adit. Make your own: ${known.made}; see docs/guides/pretrained-models.md.`,
          ];
    })
    .join('');
}
