import { describeInformers } from '../suites/informers.ts';
import { realServer } from '../suites/real-server.ts';

describeInformers(await realServer({ pods: false }));
