export { AddressPolicy } from './addresses.js';
export { checkedAgent, refusalIn, type ResolveHost } from './checked-agent.js';
export { webAddressFault, type WebPolicy } from './web-address.js';
