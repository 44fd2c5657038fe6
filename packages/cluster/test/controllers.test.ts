import { describeControllers } from './behaviour.ts';
import { startEmbeddedServer } from './embedded-server.ts';

describeControllers('the controllers on the embedded API server', { start: startEmbeddedServer });
