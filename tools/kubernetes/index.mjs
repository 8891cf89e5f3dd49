// Checks of the chart, for specs and for `npm run chart`.
export { expectOk, say, startControlPlane } from './control-plane.mjs';
export { findProgram, forTests, program } from './programs.mjs';
export { schemaArguments, schemaFolder, versions } from './schemas.mjs';
