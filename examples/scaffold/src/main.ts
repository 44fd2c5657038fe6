/** The operator as a process: arguments, environment, signals and exit code are `run`'s. */
import { run } from '@keelson/runtime';
import { websiteOperator } from './operator.ts';

await run(websiteOperator);
