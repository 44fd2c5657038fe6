import { availability } from '@keelson/tools-kubernetes';
import { describeControllers } from '../behaviour.ts';
import { startRealServer } from './real-server.ts';

const found = await availability();

describeControllers('the controllers on a real API server', {
  skip: found.available ? false : found.reason,
  start: startRealServer,
});
