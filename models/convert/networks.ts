/** Networks of face-api.js that Adit can build; their graphs are in code here as they are there. */
export const FACE_API_NETWORKS = ['dlib-resnet', 'age-gender', 'expression'] as const;
export type FaceApiNetwork = (typeof FACE_API_NETWORKS)[number];
