// SPDX-License-Identifier: Apache-2.0
// On paper the lanes are a table: as much of the end of the run as fits a few pages.

const PRINTED_EVENTS = 250;
const PRINTED_LANES = 6;  // more do not fit a page: then there is one column for all

function printedEvents(trace) {
  const shown = trace.rows.filter((index) => index >= 0).slice(-PRINTED_EVENTS);
  const threads = [...new Set(shown.map((index) => trace.events[index].thread))].sort((a, b) => a - b);
  const lanes = threads.length <= PRINTED_LANES ? threads : null;
  const heads = lanes ? lanes.map((thread) => trace.threads[thread].title) : ['thread', 'event'];
  let before = null;
  const rows = shown.map((index) => {
    const event = trace.events[index], place = trace.place(event);
    const text = [trace.operation(event), ' ', element('code', {}, place ? `${trace.placeText(place)} ${place.text || ''}` : '')];
    const cells = lanes ? lanes.map((thread) => element('td', {}, ...(thread === event.thread ? text : [])))
        : [element('td', {}, trace.threads[event.thread].title), element('td', {}, ...text)];
    const switched = before !== null && before !== event.thread;
    before = event.thread;
    return element('tr', {class: switched ? 'switch' : ''}, element('td', {}, event.executed === false ? '' : withThousands(event.step)), ...cells);
  });
  const omitted = trace.events.length - shown.length;
  return [
    element('h2', {}, 'The interleaving'),
    omitted > 0 ? element('p', {class: 'dim'}, `The last ${plural(shown.length, 'event')}; ${withThousands(omitted)} more are not printed.`) : null,
    element('table', {}, element('thead', {}, element('tr', {}, element('th', {}, 'step'), ...heads.map((head) => element('th', {}, head)))),
        element('tbody', {}, ...rows)),
    element('p', {}, element('b', {}, `\u2717 ${trace.data.summary}`)),
  ].filter(Boolean);
}

function setUpPrinting(trace) {
  addEventListener('beforeprint', () => byId('print-events').replaceChildren(...printedEvents(trace)));
  addEventListener('afterprint', () => byId('print-events').replaceChildren());
}
