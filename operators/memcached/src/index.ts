export { Memcached, type MemcachedStatus, type NewMemcached } from './api/memcached.ts';
export { memcachedOperator } from './operator.ts';
