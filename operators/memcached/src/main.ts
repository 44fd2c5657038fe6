#!/usr/bin/env node
/** The operator as a process. */
import { run } from '@keelson/runtime';
import { memcachedOperator } from './operator.ts';

await run(memcachedOperator);
