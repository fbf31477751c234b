import type { Messages } from './en.ts';

export const de: Messages = {
  'open.title': '{points, plural, one {# Punkt} other {# Punkte}} für Sie',
  'open.heading':
    '{points, plural, one {<n>#</n> Punkt} other {<n>#</n> Punkte}} für Ihren Einkauf',
  'open.thanks': 'Vielen Dank für Ihren Einkauf bei {merchant}.',
  'open.button': '{points, plural, one {# Punkt} other {# Punkte}} sichern',
  'open.secret': 'Wer diesen Link hat, kann sich Ihre Punkte sichern. Geben Sie ihn nicht weiter.',
  worth: '{points, plural, one {Ihr Punkt ist} other {Ihre Punkte sind}} {money} wert.',
  claimBy: 'Bis {time} sichern',
  lessThanAMinute: 'in weniger als einer Minute',
  'claimed.title': '{points, plural, one {# Punkt gehört} other {# Punkte gehören}} Ihnen',
  'claimed.heading':
    '{points, plural, one {<n>#</n> Punkt gehört} other {<n>#</n> Punkte gehören}} Ihnen',
  'claimed.where':
    'Ihre Punkte sind auf Ihrem Kundenkonto bei {merchant}, unter der E-Mail-Adresse oder Telefonnummer, mit der Sie eingekauft haben.',
  'claimed.done': 'Sie müssen nichts weiter tun.',
  'claimed.at': 'Gesichert am {time}',
  'review.title': 'Ihre Punkte werden geprüft',
  'review.heading': '{points, plural, one {Ihr # Punkt wird} other {Ihre # Punkte werden}} geprüft',
  'review.text':
    'Sie haben sich diese Punkte gesichert, danach wurde der Einkauf zurückgegeben. Sie behalten Ihre Punkte, bis die Prüfung abgeschlossen ist. Sie müssen nichts tun.',
  'ready.title': 'Gleich so weit',
  'ready.funding':
    '{merchant} bereitet {points, plural, one {Ihren # Punkt} other {Ihre # Punkte}} noch vor. Sie erhalten eine Nachricht, sobald Sie sich {points, plural, one {den Punkt} other {die Punkte}} sichern können; die Frist beginnt erst dann.',
  'ready.soon':
    '{points, plural, one {Ihr # Punkt wird} other {Ihre # Punkte werden}} vorbereitet. Sehen Sie gleich noch einmal nach.',
  'paused.title': 'Prämien sind vorübergehend ausgesetzt',
  'paused.text':
    '{merchant} hat seine Prämien vorübergehend ausgesetzt. Sie können sich {points, plural, one {Ihren # Punkt} other {Ihre # Punkte}} sichern, sobald es weitergeht.',
  'expired.title': 'Diese Prämie ist abgelaufen',
  'expired.text':
    '{points, plural, one {Der # Punkt} other {Die # Punkte}} für Ihren Einkauf bei {merchant} {points, plural, one {konnte} other {konnten}} nur bis {time} gesichert werden.',
  'cancelled.title': 'Diese Prämie wurde storniert',
  'cancelled.text':
    '{points, plural, one {Der # Punkt kann} other {Die # Punkte können}} nicht mehr gesichert werden. Meist liegt das daran, dass der Einkauf zurückgegeben wurde.',
  again: 'Noch einmal nachsehen',
  contact: 'Fragen? Wenden Sie sich an {merchant}.',
  contactShop: 'Fragen? Wenden Sie sich an den Händler, bei dem Sie eingekauft haben.',
  email: 'Fragen? <mail>E-Mail an {merchant}</mail>',
  trial: '<strong>TEST</strong> Dies ist ein Test. Die Punkte haben keinen Wert.',
  'unknown.title': 'Wir kennen diesen Link nicht',
  'unknown.text':
    'Manche E-Mail-Programme zerteilen lange Links. Öffnen Sie den Link in der E-Mail noch einmal, oder kopieren Sie ihn vollständig.',
  'tooMany.title': 'Zu viele Anfragen',
  'tooMany.text':
    'Es wurden zu viele ungültige Links geöffnet. Warten Sie eine Viertelstunde, oder öffnen Sie den Link aus Ihrer E-Mail.',
  'unavailable.title': 'Vorübergehend nicht erreichbar',
  'unavailable.text': 'Ihre Punkte sind sicher. Versuchen Sie es in einigen Sekunden noch einmal.',
  'internal.title': 'Etwas ist schiefgegangen',
  'internal.text':
    'Das ist unser Fehler, und wir wissen davon. Ihre Punkte sind sicher. Versuchen Sie es gleich noch einmal.',
  'other.title': 'Das hat nicht geklappt',
  language: 'Sprache',
  'language.own': 'Deutsch',
  request: 'Anfrage',
  'offer.subject':
    '{points, plural, one {# Punkt wartet} other {# Punkte warten}} bei {merchant} auf Sie',
  'offer.text':
    'Vielen Dank für Ihren Einkauf bei {merchant}. Sie haben dafür {points, plural, one {# Punkt} other {# Punkte}} erhalten.',
  'offer.sms':
    '{points, plural, one {# Punkt} other {# Punkte}} für Sie. Bis {day} sichern: {link}',
  'reminder.subject':
    '{points, plural, one {# Punkt verfällt} other {# Punkte verfallen}} bald bei {merchant}',
  'reminder.text':
    'Sie haben sich {points, plural, one {den # Punkt} other {die # Punkte}} für Ihren Einkauf bei {merchant} noch nicht gesichert.',
  'takenBack.subject':
    '{points, plural, one {# Punkt von {merchant} wurde} other {# Punkte von {merchant} wurden}} zurückgenommen',
  'takenBack.text':
    'Ihr Einkauf bei {merchant} wurde erstattet oder storniert. Darum {points, plural, one {wurde der # Punkt zurückgenommen, den} other {wurden die # Punkte zurückgenommen, die}} Sie sich dafür gesichert hatten.',
  'takenBack.spent': 'Falls Sie schon Punkte davon verwendet haben, schulden Sie nichts.',
  'takenBack.sms':
    'Ihr Einkauf wurde erstattet oder storniert, darum {points, plural, one {wurde # Punkt} other {wurden # Punkte}} zurückgenommen.',
  spend: 'Hier können Sie Ihre Punkte verwenden',
  'mail.questions': 'Fragen? Schreiben Sie an {email}.',
  'points.title': 'Ihre Punkte bei {merchant}',
  'points.see': 'Alle Ihre Punkte bei {merchant} ansehen',
  'points.ask':
    'Wir senden Ihnen einen Link, der zeigt, wie viele Punkte Sie bei {merchant} haben und was aus jeder Prämie geworden ist.',
  'points.where':
    'Er geht an die E-Mail-Adresse oder Telefonnummer, mit der Sie eingekauft haben, und an keine andere.',
  'points.send': 'Link zusenden',
  'points.sentTitle': 'Sehen Sie in Ihren Nachrichten nach',
  'points.sent':
    'Wenn wir die E-Mail-Adresse oder Telefonnummer dieses Einkaufs noch haben, ist ein Link zu Ihren Punkten dorthin unterwegs. Der Link gilt 24 Stunden.',
  'points.back': 'Zurück zu Ihrer Prämie',
  'points.mail':
    'Sie haben den Link zu Ihren Punkten bei {merchant} angefordert. Er zeigt, wie viele Sie haben und was aus jeder Prämie geworden ist.',
  'points.until': 'Der Link gilt bis {time}.',
  'points.button': 'Punkte ansehen',
  'points.secret':
    'Wer diesen Link hat, kann Ihre Punkte sehen. Geben Sie ihn nicht weiter. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese Nachricht.',
  'points.sms': 'Link zu Ihren Punkten, 24 Stunden gültig: {link}',
  'points.balance': '{points, plural, one {<n>#</n> Punkt} other {<n>#</n> Punkte}}',
  'points.paused':
    '{merchant} hat seine Prämien vorübergehend ausgesetzt. Punkte, die Sie sich gesichert haben, behalten Sie.',
  'points.history': 'Ihre Prämien',
  'points.row': '{points, plural, one {# Punkt} other {# Punkte}}',
  'points.bought': 'Einkauf vom {date}',
  'points.claimed': 'Gesichert am {date}',
  'points.waiting': 'Wird vorbereitet',
  'points.review': 'Wird geprüft',
  'points.expired': 'Abgelaufen am {date}',
  'points.cancelled': 'Storniert am {date}',
  'points.takenBack': 'Zurückgenommen am {date}',
  'points.older': 'Ältere',
  'points.newest': 'Neueste',
  'points.goneTitle': 'Dieser Link gilt nicht mehr',
  'points.gone':
    'Ein Link zu Ihren Punkten gilt 24 Stunden. Öffnen Sie die Nachricht zu einer Ihrer Prämien und fordern Sie dort einen neuen an.',
};
