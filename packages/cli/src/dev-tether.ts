/** Ends this process when the one that started it is gone, however that ended: in order, and soon in any case. */
import { systemClock } from '@keelson/core/system';

const patienceMs = 3000;

process.once('disconnect', () => {
  systemClock.setTimer(patienceMs, () => process.exit(1)).unref();
  process.kill(process.pid, 'SIGTERM');
});
// Listening for that keeps nothing alive.
process.channel?.unref();
