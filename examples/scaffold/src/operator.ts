/** The operator as a value: what the process, the tests and `keelson` import. It starts nothing. */
import { operator } from '@keelson/core';
import { memcachedController } from './controllers/memcached.ts';
import { websiteController } from './controllers/website.ts';

export const websiteOperator = operator({
  name: 'website-operator',
  controllers: [websiteController, memcachedController],
});
