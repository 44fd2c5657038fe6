import { run } from '@keelson/runtime';
import { websiteOperator } from './operator.ts';

await run(websiteOperator());
