import { describeProperties } from '../properties/properties.ts';
import { realServer } from '../suites/real-server.ts';

describeProperties(await realServer({ pods: false }));
