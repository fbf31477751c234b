import { get, section } from './operations.ts';
import { choice, flag, object, optional, orNull, type Schema } from './shapes.ts';

export const Health: Schema = object({
  status: { type: 'string', const: 'ok', description: 'The process is alive.' },
});

export const Readiness: Schema = object({
  status: choice(
    ['ready', 'not ready'],
    '`ready` if the API can serve partners, `not ready` otherwise.',
  ),
  mongodb: flag('Whether the database can be reached.', { example: true }),
});

export const Status: Schema = object({
  status: choice(['ok', 'not ok'], '`ok` if every check passed, `not ok` otherwise.'),
  mongodb: flag('Whether the database can be reached.', { example: true }),
  temporal: flag('Whether the workflow engine can be reached.', { example: true }),
  worker: flag('Whether a worker polls for work.', { example: true }),
  workflowsStart: flag("Whether every purchase's workflow starts in time.", { example: true }),
  approvals: optional(
    orNull(
      choice(
        ['ON', 'OFF', 'WERE_OFF'],
        "On the operators' listener only: whether sensitive operations require an approval. Null while the database\ncannot be reached.\n\n- `ON`: they do\n- `OFF`: they do not\n- `WERE_OFF`: they do now, but approvals were off while a partner was live, or an operator carried out a\n  sensitive operation alone; this is permanent\n",
      ),
    ),
  ),
});

export const health = section('Health', 'Probes for load balancers and monitoring.', [
  get('/healthz', {
    id: 'healthz',
    summary: 'Check that the process is alive',
    description: 'Checks nothing else.',
    by: 'anyone',
    gives: { 200: ['The process is alive.', Health] },
    never: [503],
  }),
  get('/readyz', {
    id: 'readyz',
    summary: 'Check that the API can serve partners',
    description:
      'Checks that the database can be reached, at most once a second however often this endpoint is called.',
    by: 'anyone',
    gives: {
      200: ['The API can serve partners.', Readiness],
      503: ['The database cannot be reached.', Readiness],
    },
    never: [503],
  }),
  get('/statusz', {
    id: 'statusz',
    summary: 'Check the whole service',
    description:
      'Checks that the database, the workflow engine and a polling worker can be reached, and that no purchase waits too long for its workflow to start. Each is checked at most once a second, however often this endpoint is called.',
    by: 'anyone',
    gives: {
      200: ['Everything is available.', Status],
      503: ['At least one check failed; its field is `false`.', Status],
    },
    never: [503],
  }),
]);
