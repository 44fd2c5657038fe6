export {
  type Authority,
  type AuthorityOptions,
  createAuthority,
  type Identity,
  type Lifetime,
  openAuthority,
} from './authority.ts';
