/** The operator as a value: what `run`, generators and tests import. */
import { operator } from '@keelson/core';
import { memcachedController } from './controller.ts';

export const memcachedOperator = operator({ name: 'memcached-operator', controllers: [memcachedController] });
