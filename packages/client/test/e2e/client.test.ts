import { describeClient } from '../suites/client.ts';
import { realServer } from '../suites/real-server.ts';

describeClient(await realServer({ pods: false }));
