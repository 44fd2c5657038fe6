/** The operator as a value: what `run`, generators and tests import. */
import { operator } from '@keelson/core';
import { memcachedController } from './controller.ts';

/** Keeps the Deployment of every Memcached as its `spec` asks, and its `status` true. */
export const memcachedOperator = operator({
  name: 'memcached-operator',
  controllers: [memcachedController],
  leaderElection: true,
});
