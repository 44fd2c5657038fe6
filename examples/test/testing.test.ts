/** The examples of tests are tests themselves. */
import '../testing/crash-and-restart.ts';
import '../testing/failing-pods.ts';
import '../testing/first-test.ts';
import '../testing/forgotten-right.ts';
import '../testing/lost-answers.ts';
