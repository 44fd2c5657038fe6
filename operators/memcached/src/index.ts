export { Memcached, type MemcachedStatus, type NewMemcached } from './api/v1alpha1.ts';
export { memcachedOperator } from './operator.ts';
