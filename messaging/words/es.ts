import type { Messages } from './en.ts';

export const es: Messages = {
  'open.title': '{points, plural, one {# punto} other {# puntos}} para usted',
  'open.heading': '{points, plural, one {<n>#</n> punto} other {<n>#</n> puntos}} por su compra',
  'open.thanks': 'Gracias por su compra en {merchant}.',
  'open.button': 'Obtener {points, plural, one {# punto} other {# puntos}}',
  'open.secret': 'Quien tenga este enlace puede obtener sus puntos: no lo comparta.',
  worth: '{points, plural, one {Su punto vale} other {Sus puntos valen}} {money}.',
  claimBy: 'Obténgalos antes del {time}',
  lessThanAMinute: 'en menos de un minuto',
  'claimed.title': '{points, plural, one {# punto es suyo} other {# puntos son suyos}}',
  'claimed.heading':
    '{points, plural, one {<n>#</n> punto es suyo} other {<n>#</n> puntos son suyos}}',
  'claimed.where':
    'Sus puntos están en su cuenta de {merchant}, con el correo electrónico o el teléfono con el que hizo la compra.',
  'claimed.done': 'No tiene que hacer nada más.',
  'claimed.at': 'Obtenidos el {time}',
  'review.title': 'Sus puntos están en revisión',
  'review.heading':
    '{points, plural, one {Su # punto está} other {Sus # puntos están}} en revisión',
  'review.text':
    'Usted obtuvo estos puntos y después se devolvió la compra. Conserva sus puntos hasta que termine la revisión. No tiene que hacer nada.',
  'ready.title': 'Casi listo',
  'ready.funding':
    '{merchant} todavía está preparando {points, plural, one {su # punto} other {sus # puntos}}. Recibirá un mensaje cuando pueda obtenerlos; el plazo empieza entonces.',
  'ready.soon':
    '{points, plural, one {Su # punto se está} other {Sus # puntos se están}} preparando. Vuelva a comprobarlo en un momento.',
  'paused.title': 'Las recompensas están en pausa',
  'paused.text':
    '{merchant} ha puesto en pausa sus recompensas. Podrá obtener {points, plural, one {su # punto} other {sus # puntos}} cuando se reanuden.',
  'expired.title': 'Esta recompensa ha caducado',
  'expired.text':
    '{points, plural, one {El # punto} other {Los # puntos}} por su compra en {merchant} {points, plural, one {debía obtenerse} other {debían obtenerse}} antes del {time}.',
  'cancelled.title': 'Esta recompensa se ha cancelado',
  'cancelled.text':
    '{points, plural, one {El # punto ya no se puede} other {Los # puntos ya no se pueden}} obtener. Suele deberse a que se devolvió la compra.',
  again: 'Volver a comprobar',
  contact: '¿Alguna pregunta? Póngase en contacto con {merchant}.',
  contactShop: '¿Alguna pregunta? Póngase en contacto con la tienda en la que hizo la compra.',
  email: '¿Alguna pregunta? <mail>Escriba a {merchant}</mail>',
  trial: '<strong>TEST</strong> Esto es una prueba. Los puntos no tienen valor.',
  'unknown.title': 'No reconocemos este enlace',
  'unknown.text':
    'Algunos programas de correo cortan los enlaces largos. Abra de nuevo el enlace del correo o cópielo entero.',
  'tooMany.title': 'Demasiadas solicitudes',
  'tooMany.text':
    'Se han abierto demasiados enlaces no válidos. Espere un cuarto de hora o abra el enlace de su correo.',
  'unavailable.title': 'No disponible por el momento',
  'unavailable.text': 'Sus puntos están a salvo. Inténtelo de nuevo en unos segundos.',
  'internal.title': 'Algo ha fallado',
  'internal.text':
    'El fallo es nuestro y ya lo sabemos. Sus puntos están a salvo. Inténtelo de nuevo en un momento.',
  'other.title': 'No ha funcionado',
  language: 'Idioma',
  'language.own': 'Español',
  request: 'solicitud',
  'offer.subject':
    '{points, plural, one {# punto de {merchant} le espera} other {# puntos de {merchant} le esperan}}',
  'offer.text':
    'Gracias por su compra en {merchant}. Con ella ha conseguido {points, plural, one {# punto} other {# puntos}}.',
  'offer.sms':
    '{points, plural, one {# punto} other {# puntos}} para usted, antes del {day}: {link}',
  'reminder.subject':
    '{points, plural, one {# punto de {merchant} caduca} other {# puntos de {merchant} caducan}} pronto',
  'reminder.text':
    'Todavía no ha obtenido {points, plural, one {el # punto} other {los # puntos}} de su compra en {merchant}.',
  'takenBack.subject':
    '{points, plural, one {Se ha retirado # punto} other {Se han retirado # puntos}} de {merchant}',
  'takenBack.text':
    'Su compra en {merchant} se ha reembolsado o cancelado, por lo que {points, plural, one {se ha retirado el # punto que había obtenido} other {se han retirado los # puntos que había obtenido}} con ella.',
  'takenBack.spent': 'Si ya había usado una parte, no debe nada.',
  'takenBack.sms':
    'su compra se ha reembolsado o cancelado, por lo que {points, plural, one {se ha retirado # punto} other {se han retirado # puntos}}.',
  spend: 'Dónde usar sus puntos',
  'mail.questions': '¿Alguna pregunta? Escriba a {email}.',
  'points.title': 'Sus puntos en {merchant}',
  'points.see': 'Ver todos sus puntos en {merchant}',
  'points.ask':
    'Le enviamos un enlace que muestra cuántos puntos tiene en {merchant} y qué ha sido de cada recompensa.',
  'points.where':
    'Se envía al correo electrónico o al teléfono con el que hizo la compra, y a ningún otro.',
  'points.send': 'Enviarme el enlace',
  'points.sentTitle': 'Revise sus mensajes',
  'points.sent':
    'Si todavía tenemos el correo electrónico o el teléfono de esta compra, un enlace a sus puntos está en camino. El enlace funciona durante 24 horas.',
  'points.back': 'Volver a su recompensa',
  'points.mail':
    'Ha pedido ver sus puntos en {merchant}. El enlace muestra cuántos tiene y qué ha sido de cada recompensa.',
  'points.until': 'El enlace funciona hasta el {time}.',
  'points.button': 'Ver sus puntos',
  'points.secret':
    'Quien tenga este enlace puede ver sus puntos: no lo comparta. Si no lo ha pedido, ignore este mensaje.',
  'points.sms': 'enlace a sus puntos, válido durante 24 horas: {link}',
  'points.balance': '{points, plural, one {<n>#</n> punto} other {<n>#</n> puntos}}',
  'points.paused':
    '{merchant} ha puesto en pausa sus recompensas. Conserva los puntos que ya ha obtenido.',
  'points.history': 'Sus recompensas',
  'points.row': '{points, plural, one {# punto} other {# puntos}}',
  'points.bought': 'Compra del {date}',
  'points.claimed': 'Obtenidos el {date}',
  'points.waiting': 'En preparación',
  'points.review': 'En revisión',
  'points.expired': 'Caducados el {date}',
  'points.cancelled': 'Cancelados el {date}',
  'points.takenBack': 'Retirados el {date}',
  'points.older': 'Anteriores',
  'points.newest': 'Más recientes',
  'points.goneTitle': 'Este enlace ya no funciona',
  'points.gone':
    'Un enlace a sus puntos funciona durante 24 horas. Abra el mensaje de una de sus recompensas y pida allí otro enlace.',
};
