import type { Role } from '../../domain/operators.ts';
import type { AuditEntryDoc } from '../../models/schemas/audit.ts';
import { createFirstOperator } from '../../operations/operators.ts';
import { operate } from './operate.ts';
import { type Reply, toReply } from './partner-backend.ts';
import type { Service } from './service.ts';

/** An operator, who calls `/admin/v1` with a token. */
export class Operator {
  readonly url: string;
  readonly token: string;

  constructor({ adminUrl }: Pick<Service, 'adminUrl'>, token: string) {
    this.url = adminUrl;
    this.token = token;
  }

  async send(method: string, path: string, body?: unknown): Promise<Reply> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return await toReply(
      await fetch(this.url + path, { method, headers, ...(body !== undefined && { body: text }) }),
    );
  }

  get = (path: string) => this.send('GET', path);
  post = (path: string, body?: unknown) => this.send('POST', path, body);
  patch = (path: string, body?: unknown) => this.send('PATCH', path, body);
  delete = (path: string) => this.send('DELETE', path);

  /** This operator, as the API returns them. */
  me = async () => (await this.get('/operators/me')).body;

  /** Creates a partner with one integration. */
  async setUp(
    fields: Record<string, unknown> = {},
  ): Promise<{ partnerId: string; integrationId: string }> {
    const { partnerId } = (await this.post('/partners', { name: 'Corner Shop', ...fields })).body;
    const made = await this.post(`/partners/${partnerId}/integrations`, { name: 'web shop' });
    return { partnerId, integrationId: made.body.integrationId };
  }
}

export async function anotherOperator(
  service: Service,
  name: string,
  role: Role = 'admin',
): Promise<Operator> {
  const { models } = service;
  const deps = { models, now: Date.now };
  const { token } = await operate(deps, createFirstOperator, { name, role });
  return new Operator(service, token);
}

/** The audit entries of a request. */
export async function auditOf({ models }: Service, reply: Reply): Promise<AuditEntryDoc[]> {
  const requestId = reply.headers.get('x-request-id') ?? '';
  return await models.auditEntries.find({ requestId });
}
