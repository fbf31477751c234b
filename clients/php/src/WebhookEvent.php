<?php

declare(strict_types=1);

namespace PartnerEvents;

/**
 * The content of a webhook. The events of the reference are classes in `PartnerEvents\Events`, whose `data` has its
 * shape; one of a type that this version does not know is a `WebhookEvent` itself: ignore it.
 *
 * @template TData of array<string, mixed>
 */
class WebhookEvent
{
    /**
     * @param string $id the same on every attempt: ignore events that you have already processed
     * @param string $type such as `reward.claimed`
     * @param string $createdAt ISO 8601, as are the other times
     * @param int|null $sequence orders the changes of one reward, which can arrive in another order; null for an event
     *   that is not a change of a reward
     * @param TData $data
     * @param array<string, mixed> $raw the whole of it, as it arrived
     */
    final public function __construct(
        public readonly string $id,
        public readonly string $type,
        public readonly string $mode,
        public readonly string $createdAt,
        public readonly ?int $sequence,
        public readonly array $data,
        public readonly array $raw,
    ) {
    }

    /**
     * @param array<string, mixed> $raw
     * @return self<array<string, mixed>>
     */
    public static function of(array $raw): self
    {
        $text = static fn (string $name): string => is_string($raw[$name] ?? null) ? $raw[$name] : '';
        $sequence = $raw['sequence'] ?? null;
        $type = $text('type');
        $class = Events\Types::CLASSES[$type] ?? self::class;
        /** @var array<string, mixed> $data */
        $data = is_array($raw['data'] ?? null) ? $raw['data'] : [];
        return new $class(
            $text('id'),
            $type,
            $text('mode'),
            $text('createdAt'),
            is_int($sequence) ? $sequence : null,
            $data,
            $raw,
        );
    }
}
