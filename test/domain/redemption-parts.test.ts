import test from 'ava';
import fc from 'fast-check';
import { leftOf, partOf, type RedemptionPart, reversedOf } from '../../domain/redemption.ts';

const at = new Date(0);

/** A spent redemption, of which these parts came back. */
const spent = (whole: RedemptionPart, ...parts: RedemptionPart[]) => ({
  ...whole,
  status: 'CAPTURED' as const,
  moves: parts.map((part) => ({
    move: 'REVERSE_PART' as const,
    at,
    status: 'CAPTURED' as const,
    part,
  })),
});

const whole = { points: 33, amountCents: 50, owedCents: 16 };
const first = { points: 11, amountCents: 16, owedCents: 5 };

for (const [what, parts, asked, part] of [
  ['points, with their share of the amount', [], { points: 11 }, first],
  ['an amount, with its share of the points', [], { amountCents: 25 }, [16, 25, 7]],
  ['less than a point is worth moves none', [], { amountCents: 1 }, [0, 1, 0]],
  ['what was rounded down before is not lost', [first], { points: 11 }, [11, 17, 5]],
  ['the rest, by points', [first], { points: 22 }, [22, 34, 11]],
  ['the rest, by its amount', [first], { amountCents: 34 }, [22, 34, 11]],
  ['more points than there were', [], { points: 34 }, undefined],
  ['more points than are left', [first], { points: 23 }, undefined],
  ['more of the amount than is left', [first], { amountCents: 35 }, undefined],
] as const) {
  test(`a part comes back: ${what}`, (t) => {
    const expected = Array.isArray(part)
      ? { points: part[0], amountCents: part[1], owedCents: part[2] }
      : part;
    t.deepEqual(partOf(spent(whole, ...parts), asked), expected as RedemptionPart | undefined);
  });
}

test('of a reversed redemption, all came back', (t) => {
  const reversed = { ...spent(whole, first), status: 'REVERSED' as const };
  t.deepEqual(reversedOf(reversed), whole);
  t.deepEqual(leftOf(reversed), { points: 0, amountCents: 0, owedCents: 0 });
});

test('however parts are asked for, none is below zero, and they never exceed the whole', (t) => {
  const asked = fc.oneof(
    fc.record({ points: fc.integer({ min: 1, max: 60 }) }),
    fc.record({ amountCents: fc.integer({ min: 1, max: 60 }) }),
  );
  const property = fc.property(
    fc.integer({ min: 1, max: 100 }),
    fc.nat({ max: 100 }),
    fc.nat({ max: 100 }),
    fc.array(asked, { maxLength: 12 }),
    (points, amountCents, owedCents, all) => {
      const parts: RedemptionPart[] = [];
      const redemption = () => spent({ points, amountCents, owedCents }, ...parts);
      for (const one of all) {
        const part = partOf(redemption(), one);
        if (part === undefined) continue;
        if ('points' in one && part.points !== one.points) return false;
        if ('amountCents' in one && part.amountCents !== one.amountCents) return false;
        parts.push(part);
        if (Object.values(part).some((value) => value < 0)) return false;
        if (Object.values(leftOf(redemption())).some((value) => value < 0)) return false;
      }
      return true;
    },
  );
  t.notThrows(() => fc.assert(property));
});
