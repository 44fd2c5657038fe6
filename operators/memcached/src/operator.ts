/** The operator as a value: what `run`, generators and tests import. */
import { operator } from '@keelson/core';
import { memcachedController } from './controller.ts';
import { manager } from './planned-change.ts';
import { type ReadStats, readStats } from './server-stats.ts';
import { memcachedWebhook } from './webhook.ts';

/** The operator with another way to ask servers how they are; for tests, where none runs. */
export const memcachedOperatorWith = (stats: ReadStats) =>
  operator({
    name: manager,
    controllers: [memcachedController(stats)],
    webhooks: [memcachedWebhook],
    leaderElection: true,
  });

/** Keeps the servers of every Memcached as its `spec` asks, and its `status` true. */
export const memcachedOperator = memcachedOperatorWith(readStats);
