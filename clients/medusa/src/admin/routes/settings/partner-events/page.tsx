import { defineRouteConfig } from '@medusajs/admin-sdk';
import {
  Button,
  Container,
  Heading,
  Input,
  Label,
  Select,
  Switch,
  Text,
  toast,
} from '@medusajs/ui';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { sdk } from '../../../sdk';

interface Settings {
  is_enabled: boolean;
  mode: 'TEST' | 'LIVE';
  api_url: string;
  api_key: string;
  report_when: 'CAPTURED' | 'PLACED';
  has_webhook_secret: boolean;
}

interface Comparison {
  orders: number;
  reported_again: string[];
  differences: { order_id: string; what: string }[];
}

const path = '/admin/partner-events/settings';
const empty: Settings = {
  is_enabled: true,
  mode: 'TEST',
  api_url: '',
  api_key: '',
  report_when: 'CAPTURED',
  has_webhook_secret: false,
};
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function SettingsPage() {
  const [settings, setSettings] = useState<Settings>();
  const [isStored, setIsStored] = useState(false);
  const [secret, setSecret] = useState('');
  const [webhookSecret, setWebhookSecret] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const [comparison, setComparison] = useState<Comparison>();

  useEffect(() => {
    sdk.client
      .fetch<{ settings: Settings | null }>(path)
      .then((answer) => {
        setSettings(answer.settings ?? empty);
        setIsStored(answer.settings !== null);
      })
      .catch((error: unknown) => toast.error(messageOf(error)));
  }, []);
  if (!settings) return null;

  const change = (changes: Partial<Settings>) => setSettings({ ...settings, ...changes });
  const attempt = async (work: () => Promise<void>) => {
    setIsBusy(true);
    await work().catch((error: unknown) => toast.error(messageOf(error)));
    setIsBusy(false);
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    return attempt(async () => {
      const { is_enabled, mode, api_url, api_key, report_when } = settings;
      const secrets = {
        secret: secret || undefined,
        webhook_secret: webhookSecret || undefined,
      };
      const body = { is_enabled, mode, api_url, api_key, report_when, ...secrets };
      const answer = await sdk.client.fetch<{ settings: Settings }>(path, { method: 'POST', body });
      setSettings(answer.settings);
      setSecret('');
      setWebhookSecret('');
      setIsStored(true);
      toast.success('Saved. The service accepted the key.');
    });
  };
  const compare = () =>
    attempt(async () => {
      const answer = await sdk.client.fetch<{ comparison: Comparison }>(
        '/admin/partner-events/comparisons',
        { method: 'POST' },
      );
      setComparison(answer.comparison);
    });

  return (
    <Container className="divide-y p-0">
      <div className="px-6 py-4">
        <Heading>Partner Events</Heading>
        <Text className="text-ui-fg-subtle" size="small">
          Customers earn points with their orders, and pay with them.
        </Text>
      </div>
      <form className="flex max-w-lg flex-col gap-y-4 px-6 py-4" onSubmit={save}>
        <Field id="is_enabled" label="Report orders">
          <Switch
            id="is_enabled"
            checked={settings.is_enabled}
            onCheckedChange={(is_enabled) => change({ is_enabled })}
          />
        </Field>
        <Field id="mode" label="Mode">
          <Select
            value={settings.mode}
            onValueChange={(mode) => change({ mode: mode as Settings['mode'] })}
          >
            <Select.Trigger id="mode">
              <Select.Value />
            </Select.Trigger>
            <Select.Content>
              <Select.Item value="TEST">TEST: no real money</Select.Item>
              <Select.Item value="LIVE">LIVE: points are real money</Select.Item>
            </Select.Content>
          </Select>
        </Field>
        <Field id="api_url" label="API URL">
          <Input
            id="api_url"
            type="url"
            required
            value={settings.api_url}
            onChange={({ target }) => change({ api_url: target.value })}
          />
        </Field>
        <Field id="api_key" label="API key">
          <Input
            id="api_key"
            required
            autoComplete="off"
            value={settings.api_key}
            onChange={({ target }) => change({ api_key: target.value })}
          />
        </Field>
        <Field id="secret" label="Signing secret">
          <Input
            id="secret"
            type="password"
            autoComplete="new-password"
            required={!isStored}
            placeholder={isStored ? 'Stored. Enter another to replace it.' : ''}
            value={secret}
            onChange={({ target }) => setSecret(target.value)}
          />
        </Field>
        <Field id="webhook_secret" label="Webhook secret">
          <Input
            id="webhook_secret"
            type="password"
            autoComplete="new-password"
            placeholder={
              settings.has_webhook_secret
                ? 'Stored. Enter another to replace it.'
                : 'whsec_… (optional)'
            }
            value={webhookSecret}
            onChange={({ target }) => setWebhookSecret(target.value)}
          />
          <Text className="text-ui-fg-subtle" size="xsmall">
            Of an endpoint for {window.location.origin}/hooks/partner-events
          </Text>
        </Field>
        <Field id="report_when" label="An order earns">
          <Select
            value={settings.report_when}
            onValueChange={(when) => change({ report_when: when as Settings['report_when'] })}
          >
            <Select.Trigger id="report_when">
              <Select.Value />
            </Select.Trigger>
            <Select.Content>
              <Select.Item value="CAPTURED">when its payment is captured</Select.Item>
              <Select.Item value="PLACED">when it is placed, paid or not</Select.Item>
            </Select.Content>
          </Select>
        </Field>
        <Button className="self-start" type="submit" isLoading={isBusy}>
          Save
        </Button>
      </form>
      {isStored && (
        <div className="flex flex-col gap-y-3 px-6 py-4">
          <Text className="text-ui-fg-subtle" size="small">
            Every night, the orders of the last 30 days are compared with what the service has, and
            what is missing is reported.
          </Text>
          <Button className="self-start" variant="secondary" onClick={compare} isLoading={isBusy}>
            Compare now
          </Button>
          {comparison && (
            <Text size="small">
              Orders compared: {comparison.orders}. Orders reported again:{' '}
              {comparison.reported_again.length}.
            </Text>
          )}
          {comparison?.differences.map(({ order_id, what }) => (
            <Text key={`${order_id} ${what}`} size="small">
              {order_id}: {what}
            </Text>
          ))}
        </div>
      )}
    </Container>
  );
}

const Field = ({ id, label, children }: { id: string; label: string; children: ReactNode }) => (
  <div className="flex flex-col gap-y-1">
    <Label htmlFor={id} size="small" weight="plus">
      {label}
    </Label>
    {children}
  </div>
);

export const config = defineRouteConfig({ label: 'Partner Events' });

export default SettingsPage;
