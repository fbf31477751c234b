import { defineWidgetConfig } from '@medusajs/admin-sdk';
import type { AdminOrder, DetailWidgetProps } from '@medusajs/framework/types';
import { Badge, Container, Heading, Text } from '@medusajs/ui';
import { useEffect, useState } from 'react';
import { sdk } from '../sdk';

interface Reward {
  id: string;
  points: number;
  status: string;
  customerStatus: string;
  claimExpiresAt: string;
  refunds: { externalRefundId: string; status: string }[];
}

const words: Record<string, string> = {
  AWAITING_CUSTOMER_CLAIM: 'Not claimed yet',
  CLAIMED: 'Claimed',
  CLAIM_EXPIRED: 'Expired',
  CANCELLED: 'Cancelled',
};

/** What the order earned, as the service has it. */
function OrderPoints({ data: { id } }: DetailWidgetProps<AdminOrder>) {
  const [reward, setReward] = useState<Reward | null>();
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState('');

  useEffect(() => {
    sdk.client
      .fetch<{ reward: Reward | null; reason: string | null }>(`/admin/partner-events/orders/${id}`)
      .then((answer) => {
        setReward(answer.reward);
        setReason(answer.reason ?? '');
      })
      .catch((error: unknown) =>
        setProblem(error instanceof Error ? error.message : String(error)),
      );
  }, [id]);

  return (
    <Container className="flex flex-col gap-y-2 px-6 py-4">
      <Heading level="h2">Points</Heading>
      {problem && <Text size="small">{problem}</Text>}
      {reward === null && <Text size="small">This order earned no points. {reason}</Text>}
      {reward && (
        <>
          <div className="flex items-center justify-between">
            <Text size="small">{reward.points} points</Text>
            <Badge size="2xsmall" color={reward.customerStatus === 'CLAIMED' ? 'green' : 'grey'}>
              {words[reward.customerStatus] ?? reward.customerStatus}
            </Badge>
          </div>
          {reward.status === 'ADMIN_REVIEW' && (
            <Text size="small">A refund waits for an operator's decision.</Text>
          )}
          {reward.refunds.length > 0 && (
            <Text size="small">Refunds reported: {reward.refunds.length}</Text>
          )}
          <Text className="text-ui-fg-subtle" size="xsmall">
            {reward.id}
          </Text>
        </>
      )}
    </Container>
  );
}

export const config = defineWidgetConfig({ zone: 'order.details.side.after' });

export default OrderPoints;
