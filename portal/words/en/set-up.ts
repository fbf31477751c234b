/** Home, the steps from a new account to LIVE, and the quick starts. */
export const setUp = {
  'nextStep.text': 'The reviewer asks for changes: <link>read the notes</link>.',
  'nextStep.ofStepsDone': '{done} of {count} steps done',
  'nextStep.next': 'Next',
  'quickstarts.quickstart.exportPartner': "export PARTNER_KEY='pk_test_… (your TEST key)'",
  'quickstarts.quickstart.exportPartnerSecret': "export PARTNER_SECRET='sk_test_… (its secret)'",
  'quickstarts.quickstart.title': 'Quick starts',
  'quickstarts.quickstart.lead':
    'A purchase, signed and sent, in one file without dependencies. Copy it, run it, then take the signing into your code.',
  'quickstarts.languages': 'Languages',
  'quickstarts.section.runIt': 'Run it',
  'quickstarts.quickstart.needsSave':
    'It needs {needs}. Save the file below as <code>{file}</code>; <code>A1</code> is your order id.',
  'quickstarts.quickstart.howRun': 'How to run it',
  'quickstarts.aTestKey': 'A TEST key',
  'quickstarts.signatureRefused': 'Signature refused?',
  'quickstarts.apiReference': 'API reference',
} as const;
