/** Reconciliation of a shop’s own file with reported orders. */
export const reconciliation = {
  'comparison.missing': 'Missing',
  'comparison.fault.note.fileReported': 'in your file, not reported',
  'comparison.fault.ordersFile':
    'These orders are in your file, but this integration never reported them. Report them now, and their customers get their points at once.',
  'comparison.fault.file': 'Not in the file',
  'comparison.fault.note.reportedFile': 'reported, not in your file',
  'comparison.fault.ordersReported':
    'These orders were reported on the days you chose but are not in your file. Check whether they were tests or belong to another export.',
  'comparison.duplicate': 'Duplicate',
  'comparison.fault.note.moreOnce': 'more than once in your file',
  'comparison.fault.ordersAppear':
    'These orders appear more than once in your file. The first row of each was compared.',
  'comparison.mismatched': 'Mismatched',
  'comparison.fault.note.reportedDifferently': 'reported differently',
  'comparison.fault.ordersReportedValues':
    'These orders were reported with values that differ from your file.',
  'comparison.theSame': 'Identical',
  'comparison.found.note': 'of {rows} rows',
  'comparison.found.notice': 'Every order in the file was reported, with the same values.',
  'comparison.keptUntil': 'Kept until {expiresAt}.',
  'comparison.download.link': 'Download all as CSV',
  'comparison.download.moreFound':
    'There were more than we store; the file contains the first ones.',
  'comparison.download.eachRow': 'Each row names its event and what is wrong.',
  'comparison.theFirstOf': 'The first {shown} of {count}:',
  'comparison.row': 'Row',
  'comparison.whatIsWrong': 'What is wrong',
  'reconciliation.reconciliation': 'Reconciliation',
  'reconciliation.compareAFile': 'Compare a file',
  'reconciliation.title': 'Reconciliation',
  'reconciliation.lead':
    'Compare your own list of orders with what you reported: what is missing, duplicated or different.',
  'reconciliation.newComparison.title': 'Compare a file',
  'reconciliation.newComparison.lead': 'Nothing is changed: you only see what differs.',
  'reconciliation.newComparison.notice':
    '<link>A comparison is in progress.</link> You can start another once it is done.',
  'reconciliation.section.yourFile': 'Your file',
  'reconciliation.section.looksLike': 'File format',
  'reconciliation.comparison.title': 'Comparison of {createdAt}',
  'reconciliation.comparison.lead':
    '{rows} orders of a file, compared with what <link>{name}</link> reported in {mode}{otherWay}.',
  'reconciliation.comparison.otherWay':
    '; and what it reported from {from} to {to}, compared with the file',
  'reconciliation.comparison.lookingFile': 'Looking for orders that are not in the file',
  'reconciliation.comparing': 'Comparing',
  'reconciliation.noIntegration.empty.title': 'No integration yet',
  'reconciliation.noIntegration.empty.text':
    'Orders are compared with what one of your integrations reported. Create one first.',
  'reconciliation.viewIntegrations': 'View integrations',
  'reconciliation.comparisonForm.submit': 'Compare',
  'reconciliation.integrationId': 'Reported by',
  'reconciliation.comparisonForm.daysExport': 'Days of the export',
  'reconciliation.comparisonForm.enterOrders':
    'If you enter them, orders reported on these days but missing from the file are listed too. Days are UTC, by time of receipt, inclusive. Leave them empty to check only the orders in the file.',
  'reconciliation.file': 'CSV file',
  'reconciliation.comparisonForm.hint': 'Up to {maxFileRows} orders and {maxFileBytes} MiB.',
  'reconciliation.orderId': 'Order ID',
  'reconciliation.amount': 'Amount',
  'reconciliation.currency': 'Currency',
  'reconciliation.column.text': 'Date of the order',
  'reconciliation.refunded': 'Refunded',
  'reconciliation.amountUnit': 'Amounts are written as',
  'reconciliation.choice.cents': '4990 (cents)',
  'reconciliation.columns.columnNames': 'Column names in your export',
  'reconciliation.columns.enterNames':
    'Enter the names from the first row of your file. Leave a field empty to use the name shown. We remember your names for this integration.',
  'reconciliation.format.csvUtf':
    'CSV in UTF-8 with a header row, separated by commas, semicolons or tabs. These columns are read, in any order, under these names or those of your export:',
  'reconciliation.format.orderId': 'Your order ID, as you report it. Required.',
  'reconciliation.format.amount49':
    'The amount, such as 49.90 or 49,90. Required, unless there is a subtotalCents column (4990).',
  'reconciliation.threeLetters': 'Three letters.',
  'reconciliation.format.whenBought':
    'The date of purchase, with an offset: 2026-01-31T09:30:00+01:00.',
  'reconciliation.format.whetherRefunded':
    'Whether it was refunded: yes or no, or a status such as paid or refunded.',
  'reconciliation.format.exportsRow':
    'Exports with one row per item work too: rows that repeat the previous row’s order without an amount are skipped.',
  'reconciliation.format.emptyValues':
    'Empty values are not compared. Other columns are discarded, and the compared data is kept only until the comparison ends.',
  'reconciliation.downloadASample': 'Download sample',
  'reconciliation.comparisonTable.caption': 'Comparisons',
  'reconciliation.reportedBy': 'Reported by',
  'reconciliation.orders': 'Orders',
  'reconciliation.faults': 'Faults',
  'reconciliation.comparisonTable.empty.title': 'No comparisons yet',
  'reconciliation.comparisonTable.empty.text':
    'Export a month of orders from your shop and see which ones never reached us.',
  'reconciliation.chooseAFile': 'Choose a file.',
} as const;
