/** The operator as one replica: no Lease is renewed every other second, so hours are quick and a steady state is silent. */
import { memcachedOperator } from '../src/operator.ts';

export const memcachedAlone = { ...memcachedOperator, leaderElection: false };
