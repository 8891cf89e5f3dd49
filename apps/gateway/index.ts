export { AccessTokens } from './auth/access-tokens.js';
export { Bootstrap } from './auth/bootstrap.js';
export { GATEWAY_CONFIG, GatewayConfig } from './config.js';
export { configureGateway } from './configure-gateway.js';
export { GatewayModule } from './gateway.module.js';
export { gatewayAdapter } from './http/server/adapter.js';
export { addressOf } from './http/server/tls.js';
export { openApiDocument } from './openapi/document.js';
export { PUBLIC_PATHS } from './resources.js';
