import { describeOwnWrites } from '../suites/own-writes.ts';
import { realServer } from '../suites/real-server.ts';

describeOwnWrites(await realServer({ pods: false }));
