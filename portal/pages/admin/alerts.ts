import { facts } from '../../components/components.ts';
import { html } from '../../components/format.ts';
import { type Page, page } from '../../components/view.ts';
import { anchorOfAlert, readAlerts } from '../../documents/alerts.ts';

/** What each alert means and what to do, where the link of a notification leads. */
export const alertsPage = (): Page =>
  page(
    {
      title: 'Alerts',
      lead: 'A page means that partners, customers or money are affected now. A ticket can wait until office hours.',
    },
    readAlerts().flatMap(({ alerts }) =>
      alerts.map(
        ({ name, severity, summary, meaning, action, over }) => html`<section
          id="${anchorOfAlert(name)}"
          ><h2>${name}</h2
          ><p><strong>${summary}.</strong> ${meaning}</p
          >${facts([
            ['Do', action],
            ['Over when', over],
            ['Notifies by', severity],
          ])}</section
        >`,
      ),
    ),
  );
