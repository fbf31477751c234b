/** Texts for customers, as ICU messages. Every other language has the same keys, arguments and tags. */
export const en = {
  'open.title': '{points, plural, one {# point} other {# points}} for you',
  'open.heading':
    '{points, plural, one {<n>#</n> point} other {<n>#</n> points}} for your purchase',
  'open.thanks': 'Thank you for shopping at {merchant}.',
  'open.button': 'Claim {points, plural, one {# point} other {# points}}',
  'open.secret': 'Anyone with this link can claim your points, so keep it to yourself.',
  worth: '{points, plural, one {Your point is} other {Your points are}} worth {money}.',
  claimBy: 'Claim by {time}',
  lessThanAMinute: 'in less than a minute',
  'claimed.title': '{points, plural, one {# point is} other {# points are}} yours',
  'claimed.heading': '{points, plural, one {<n>#</n> point is} other {<n>#</n> points are}} yours',
  'claimed.where':
    'Your points are in your {merchant} account, under the email address or phone number you shopped with.',
  'claimed.done': 'You don’t need to do anything else.',
  'claimed.at': 'Claimed {time}',
  'review.title': 'Your points are under review',
  'review.heading': 'Your {points, plural, one {# point is} other {# points are}} under review',
  'review.text':
    'You claimed these points, and then the purchase was returned. You keep your points until the review is finished. You don’t need to do anything.',
  'ready.title': 'Almost ready',
  'ready.funding':
    '{merchant} is still preparing your {points, plural, one {# point} other {# points}}. You will get a message when you can claim them, and the time to claim starts only then.',
  'ready.soon':
    'Your {points, plural, one {# point is} other {# points are}} being prepared. Check again in a moment.',
  'paused.title': 'Rewards are paused',
  'paused.text':
    '{merchant} has paused its rewards. You can claim your {points, plural, one {# point} other {# points}} once they resume.',
  'expired.title': 'This reward has expired',
  'expired.text':
    'The {points, plural, one {# point} other {# points}} for your purchase at {merchant} had to be claimed by {time}.',
  'cancelled.title': 'This reward was cancelled',
  'cancelled.text':
    'The {points, plural, one {# point} other {# points}} can no longer be claimed. This usually happens because the purchase was returned.',
  again: 'Check again',
  contact: 'Questions? Contact {merchant}.',
  contactShop: 'Questions? Contact the shop where you made your purchase.',
  email: 'Questions? <mail>Email {merchant}</mail>',
  trial: '<strong>TEST</strong> This is a test. The points have no value.',
  'unknown.title': 'We don’t recognize this link',
  'unknown.text':
    'Some email programs break a long link in two. Open the link from the email again, or copy all of it.',
  'tooMany.title': 'Too many requests',
  'tooMany.text':
    'Too many invalid links were opened. Wait 15 minutes, or open the link in your email.',
  'unavailable.title': 'Temporarily unavailable',
  'unavailable.text': 'Your points are safe. Try again in a few seconds.',
  'internal.title': 'Something went wrong',
  'internal.text':
    'This is our fault, and we have been notified. Your points are safe. Try again in a moment.',
  'other.title': 'That didn’t work',
  language: 'Language',
  'language.own': 'English',
  request: 'request',
  'offer.subject':
    '{points, plural, one {# point} other {# points}} from {merchant} {points, plural, one {is} other {are}} waiting for you',
  'offer.text':
    'Thank you for your purchase at {merchant}. It earned you {points, plural, one {# point} other {# points}}.',
  'offer.sms': '{points, plural, one {# point} other {# points}} for you. Claim by {day}: {link}',
  'reminder.subject':
    '{points, plural, one {# point} other {# points}} from {merchant} {points, plural, one {expires} other {expire}} soon',
  'reminder.text':
    'You have not claimed the {points, plural, one {# point} other {# points}} for your purchase at {merchant} yet.',
  'takenBack.subject':
    '{points, plural, one {# point} other {# points}} from {merchant} {points, plural, one {was} other {were}} taken back',
  'takenBack.text':
    'Your purchase at {merchant} was refunded or cancelled, so the {points, plural, one {# point you claimed for it was} other {# points you claimed for it were}} taken back.',
  'takenBack.spent': 'If you had already used some of them, you owe nothing.',
  'takenBack.sms':
    'your purchase was refunded or cancelled, so {points, plural, one {its # point was} other {its # points were}} taken back.',
  spend: 'Where to spend your points',
  'mail.questions': 'Questions? Write to {email}.',
  'points.title': 'Your points at {merchant}',
  'points.see': 'See all your points at {merchant}',
  'points.ask':
    'We send you a link that shows how many points you have at {merchant}, and what happened to each reward.',
  'points.where': 'It goes to the email address or phone number you shopped with, and to no other.',
  'points.send': 'Send me the link',
  'points.sentTitle': 'Check your messages',
  'points.sent':
    'If we still have the email address or phone number of this purchase, a link to your points is on its way to it. The link works for 24 hours.',
  'points.back': 'Back to your reward',
  'points.mail':
    'You asked to see your points at {merchant}. The link below shows how many you have, and what happened to each reward.',
  'points.until': 'The link works until {time}.',
  'points.button': 'See your points',
  'points.secret':
    'Anyone with this link can see your points, so keep it to yourself. If you didn’t ask for it, ignore this message.',
  'points.sms': 'your points, for the next 24 hours: {link}',
  'points.balance': '{points, plural, one {<n>#</n> point} other {<n>#</n> points}}',
  'points.paused': '{merchant} has paused its rewards. You keep the points you have claimed.',
  'points.history': 'Your rewards',
  'points.row': '{points, plural, one {# point} other {# points}}',
  'points.bought': 'Purchase of {date}',
  'points.claimed': 'Claimed {date}',
  'points.waiting': 'Being prepared',
  'points.review': 'Under review',
  'points.expired': 'Expired {date}',
  'points.cancelled': 'Cancelled {date}',
  'points.takenBack': 'Taken back {date}',
  'points.older': 'Older',
  'points.newest': 'Newest',
  'points.goneTitle': 'This link no longer works',
  'points.gone':
    'A link to your points works for 24 hours. Open the message about one of your rewards and ask for a new one there.',
} as const;

export type MessageKey = keyof typeof en;
export type Messages = Record<MessageKey, string>;
