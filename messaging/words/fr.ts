import type { Messages } from './en.ts';

export const fr: Messages = {
  'open.title': '{points, plural, one {# point} other {# points}} pour vous',
  'open.heading': '{points, plural, one {<n>#</n> point} other {<n>#</n> points}} pour votre achat',
  'open.thanks': 'Merci pour votre achat chez {merchant}.',
  'open.button': 'Récupérer {points, plural, one {# point} other {# points}}',
  'open.secret': 'Toute personne qui a ce lien peut récupérer vos points : gardez-le pour vous.',
  worth: '{points, plural, one {Votre point vaut} other {Vos points valent}} {money}.',
  claimBy: 'À récupérer avant le {time}',
  lessThanAMinute: 'dans moins d’une minute',
  'claimed.title': '{points, plural, one {# point est} other {# points sont}} à vous',
  'claimed.heading':
    '{points, plural, one {<n>#</n> point est} other {<n>#</n> points sont}} à vous',
  'claimed.where':
    'Vos points sont sur votre compte chez {merchant}, sous l’adresse e-mail ou le numéro de téléphone donnés lors de l’achat.',
  'claimed.done': 'Vous n’avez rien d’autre à faire.',
  'claimed.at': 'Récupérés le {time}',
  'review.title': 'Vos points sont en cours d’examen',
  'review.heading':
    '{points, plural, one {Votre # point est} other {Vos # points sont}} en cours d’examen',
  'review.text':
    'Vous avez récupéré ces points, puis l’achat a été retourné. Vous gardez vos points jusqu’à la fin de l’examen. Vous n’avez rien à faire.',
  'ready.title': 'Presque prêt',
  'ready.funding':
    '{merchant} prépare encore {points, plural, one {votre # point} other {vos # points}}. Vous recevrez un message quand vous pourrez les récupérer ; le délai ne commence qu’à ce moment-là.',
  'ready.soon':
    '{points, plural, one {Votre # point est} other {Vos # points sont}} en préparation. Revenez dans un instant.',
  'paused.title': 'Les récompenses sont suspendues',
  'paused.text':
    '{merchant} a suspendu ses récompenses. Vous pourrez récupérer {points, plural, one {votre # point} other {vos # points}} dès leur reprise.',
  'expired.title': 'Cette récompense a expiré',
  'expired.text':
    '{points, plural, one {Le # point} other {Les # points}} de votre achat chez {merchant} {points, plural, one {devait être récupéré} other {devaient être récupérés}} avant le {time}.',
  'cancelled.title': 'Cette récompense a été annulée',
  'cancelled.text':
    '{points, plural, one {Le # point ne peut plus être récupéré} other {Les # points ne peuvent plus être récupérés}}. Le plus souvent, c’est parce que l’achat a été retourné.',
  again: 'Vérifier à nouveau',
  contact: 'Des questions ? Contactez {merchant}.',
  contactShop: 'Des questions ? Contactez la boutique où vous avez fait votre achat.',
  email: 'Des questions ? <mail>Écrire à {merchant}</mail>',
  trial: '<strong>TEST</strong> Ceci est un test. Les points n’ont aucune valeur.',
  'unknown.title': 'Nous ne reconnaissons pas ce lien',
  'unknown.text':
    'Certains logiciels de messagerie coupent les liens trop longs. Ouvrez de nouveau le lien depuis l’e-mail, ou copiez-le en entier.',
  'tooMany.title': 'Trop de demandes',
  'tooMany.text':
    'Trop de liens non valides ont été ouverts. Patientez un quart d’heure, ou ouvrez le lien reçu par e-mail.',
  'unavailable.title': 'Momentanément indisponible',
  'unavailable.text': 'Vos points sont en sécurité. Réessayez dans quelques secondes.',
  'internal.title': 'Une erreur s’est produite',
  'internal.text':
    'L’erreur vient de nous, et nous en sommes avertis. Vos points sont en sécurité. Réessayez dans un instant.',
  'other.title': 'Cela n’a pas fonctionné',
  language: 'Langue',
  'language.own': 'Français',
  request: 'demande',
  'offer.subject':
    '{points, plural, one {# point vous attend} other {# points vous attendent}} chez {merchant}',
  'offer.text':
    'Merci pour votre achat chez {merchant}. Il vous a rapporté {points, plural, one {# point} other {# points}}.',
  'offer.sms':
    '{points, plural, one {# point} other {# points}} pour vous, avant le {day} : {link}',
  'reminder.subject':
    '{points, plural, one {# point expire} other {# points expirent}} bientôt chez {merchant}',
  'reminder.text':
    'Vous n’avez pas encore récupéré {points, plural, one {le # point} other {les # points}} de votre achat chez {merchant}.',
  'takenBack.subject':
    '{points, plural, one {# point de {merchant} a été retiré} other {# points de {merchant} ont été retirés}}',
  'takenBack.text':
    'Votre achat chez {merchant} a été remboursé ou annulé : {points, plural, one {le # point que vous aviez récupéré a été retiré} other {les # points que vous aviez récupérés ont été retirés}}.',
  'takenBack.spent': 'Si vous en aviez déjà utilisé une partie, vous ne devez rien.',
  'takenBack.sms':
    'votre achat a été remboursé ou annulé, {points, plural, one {# point a été retiré} other {# points ont été retirés}}.',
  spend: 'Où utiliser vos points',
  'mail.questions': 'Des questions ? Écrivez à {email}.',
  'points.title': 'Vos points chez {merchant}',
  'points.see': 'Voir tous vos points chez {merchant}',
  'points.ask':
    'Nous vous envoyons un lien qui montre combien de points vous avez chez {merchant} et ce qu’est devenue chaque récompense.',
  'points.where':
    'Il est envoyé à l’adresse e-mail ou au numéro de téléphone donnés lors de l’achat, et à aucun autre.',
  'points.send': 'M’envoyer le lien',
  'points.sentTitle': 'Consultez vos messages',
  'points.sent':
    'Si nous avons encore l’adresse e-mail ou le numéro de téléphone de cet achat, un lien vers vos points est en route. Le lien fonctionne pendant 24 heures.',
  'points.back': 'Retour à votre récompense',
  'points.mail':
    'Vous avez demandé à voir vos points chez {merchant}. Le lien ci-dessous montre combien vous en avez et ce qu’est devenue chaque récompense.',
  'points.until': 'Le lien fonctionne jusqu’au {time}.',
  'points.button': 'Voir vos points',
  'points.secret':
    'Toute personne qui a ce lien peut voir vos points : gardez-le pour vous. Si vous ne l’avez pas demandé, ignorez ce message.',
  'points.sms': 'le lien vers vos points, valable 24 heures : {link}',
  'points.balance': '{points, plural, one {<n>#</n> point} other {<n>#</n> points}}',
  'points.paused':
    '{merchant} a suspendu ses récompenses. Vous gardez les points que vous avez récupérés.',
  'points.history': 'Vos récompenses',
  'points.row': '{points, plural, one {# point} other {# points}}',
  'points.bought': 'Achat du {date}',
  'points.claimed': 'Récupérés le {date}',
  'points.waiting': 'En préparation',
  'points.review': 'En cours d’examen',
  'points.expired': 'Expirés le {date}',
  'points.cancelled': 'Annulés le {date}',
  'points.takenBack': 'Retirés le {date}',
  'points.older': 'Plus anciennes',
  'points.newest': 'Plus récentes',
  'points.goneTitle': 'Ce lien ne fonctionne plus',
  'points.gone':
    'Un lien vers vos points fonctionne pendant 24 heures. Ouvrez le message reçu pour l’une de vos récompenses et demandez-y un nouveau lien.',
};
