export { AddressPolicy } from './addresses.js';
export { checkedAgent, refusalIn } from './checked-agent.js';
export { CheckedFetch } from './checked-fetch.js';
export { connectDatagrams } from './checked-datagrams.js';
export { openCheckedProxy, type CheckedProxy } from './checked-proxy.js';
export { connectChecked, permittedAddresses, type CheckedConnection } from './checked-socket.js';
export { AddressRefused, type ResolveHost } from './resolve.js';
export { webAddressFault, type WebPolicy } from './web-address.js';
