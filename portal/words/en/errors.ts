/** Error messages on a page of their own or above a form. */
export const errors = {
  'error.viewing':
    'You are viewing the portal as a partner. Stop viewing to continue as an operator.',
  'error.readOnly':
    'You are viewing the portal as a partner and can’t change anything. Stop viewing to continue as an operator.',
  'error.noAccess': 'You don’t have access to this page.',
  'error.role': 'Your role, {role}, does not allow this. Ask a teammate whose role does.',
  'error.notAFile': 'This page accepts only a form with a file.',
  'error.notAForm': 'This page accepts only a form.',
  'error.incomplete': 'The form arrived incomplete. Send it again.',
  'error.reload': 'Reload the page and try again.',
  'error.oldForm':
    'This form belongs to another session or is too old. Go back, reload the page and try again.',
  'error.tooLarge': 'A form can’t be larger than {maxFormBytes} bytes.',
  'error.noPage': 'There is no page at this address.',
  'error.foreignForm': 'This form was sent from another site.',
  'error.badAddress': 'This address is not valid.',
  'tooMany.signIn': 'Too many attempts. Try again in {minutes} min, or ask for a link by email.',
  'tooMany.attempts': 'Too many attempts. Try again in {minutes} min.',
  'tooMany.code': 'Too many attempts. Try again in {minutes} min, or use a recovery code.',
  'tooMany.codesToday':
    'Too many wrong codes were entered for your account today. Use a recovery code, or a browser in which you have entered a code before.',
  'tooMany.codesTodayHere':
    'Too many wrong codes were entered in this browser today. Use a recovery code.',
  'tooMany.mailedCode':
    'Too many wrong codes were entered for your account. Sign out, then sign in with a link sent by email.',
  'tooMany.newPassword':
    'Too many attempts. Try again in {minutes} min, or keep the password you have.',
  'tooMany.unknownLink':
    'Too many attempts. Try again in {minutes} min, or open the link in your email.',
  'tooMany.diagnosis':
    'Too many attempts. Try again in {minutes} min, or compare on your own machine with npx partner-events doctor.',
  'tooMany.testSend':
    'Too many attempts. Try again in {minutes} min, or send from your own machine with the curl command.',
  'tooMany.upload':
    'Too many attempts. Try again in {minutes} min, or put more orders into one file.',
  'tooMany.mail':
    'Too many attempts. Try again in {minutes} min, or check whether the email has arrived.',
  'tooMany.unknownToken':
    'Too many attempts. Try again in {minutes} min, or create a new token on your account page.',
  'tooMany.program': 'Too many attempts. Try again in {minutes} min, or send requests less often.',
} as const;
