export { type Authority, createAuthority, type Identity } from './authority.ts';
