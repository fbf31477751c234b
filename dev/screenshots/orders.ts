type OrderOutcome = 'OPEN' | 'CLAIMED' | 'RETURNED';

interface Order {
  daysAgo: number;
  subtotalCents: number;
  fate: OrderOutcome;
}

export const customers = ['ines', 'tomasz', 'mei.lin', 'amara', 'jonas', 'priya', 'leo', 'sofia'];

const order = (daysAgo: number, subtotalCents: number, fate: OrderOutcome = 'CLAIMED'): Order => ({
  daysAgo,
  subtotalCents,
  fate,
});

/** A coffee roaster's recent weeks, oldest first. */
export const orders: readonly Order[] = [
  ...[order(20, 3_450), order(20, 1_890), order(19, 7_200), order(18, 2_650), order(18, 4_990)],
  ...[order(17, 5_300), order(16, 1_250), order(15, 8_840), order(15, 2_990), order(14, 3_150)],
  ...[order(13, 6_400), order(12, 2_200), order(12, 9_950), order(11, 4_100)],
  ...[order(10, 3_790), order(9, 2_480), order(9, 5_600), order(8, 11_900), order(7, 1_990)],
  ...[
    order(6, 4_450),
    order(6, 3_300),
    order(5, 7_750),
    order(4, 2_850, 'RETURNED'),
    order(4, 6_120),
  ],
  ...[
    order(3, 3_690, 'RETURNED'),
    order(2, 15_240, 'RETURNED'),
    order(2, 2_100),
    order(1, 8_300),
    order(1, 4_780, 'RETURNED'),
  ],
  ...[order(1, 3_550), order(0, 6_900), order(0, 4_990), order(0, 4_250, 'OPEN')],
];
