// SPDX-License-Identifier: Apache-2.0
// Event loops: a lane per thread, a box per callback, from left to right in the order of execution.

const MOST_CALLBACKS = 400;

function callbackTitle(callback) {
  const facts = [callback.name, callback.trigger ? `triggered by ${callback.trigger}` : null,
    callback.line ? `${baseName(callback.file)}:${callback.line}` : null, `at ${(callback.clock_ns / 1e6).toFixed(3)} ms`];
  return facts.filter(Boolean).join(' \u00b7 ');
}

function renderCallbacks(trace, source, links) {
  const all = trace.data.callbacks || [];
  byId('callbacks').hidden = all.length < 2;
  if (all.length < 2) return;
  const shown = all.slice(-MOST_CALLBACKS);
  const threads = [...new Set(shown.map((callback) => callback.thread))].sort((a, b) => a - b);
  const labels = threads.map((thread, row) => element('div', {class: 'callback-label', '--row': row + 1}, trace.threads[thread].label));
  const boxes = shown.map((callback, column) => element('button', {
    type: 'button', class: callback.end === null ? 'callback unfinished' : 'callback', title: callbackTitle(callback),
    '--hue': hue(callback.thread), '--row': threads.indexOf(callback.thread) + 1, '--column': column + 2,
    onclick: () => callback.line && source.show({file: callback.file, line: callback.line, where: ''}),
    onpointerenter: () => callback.line && links.point({event: null, file: callback.file, line: callback.line}),
    onpointerleave: () => links.point(null),
  }, element('b', {}, callback.name), element('span', {}, callback.trigger || '')));
  links.onPoint((target) => boxes.forEach((box, index) => {
    const {file, line} = shown[index];
    box.classList.toggle('linked', Boolean(target) && line > 0 && target.file === file && target.line === line);
  }));
  const omitted = all.length - shown.length;
  byId('callback-lanes').replaceChildren(...labels, ...boxes);
  if (omitted > 0) byId('callbacks-title').textContent += ` (the last ${withThousands(shown.length)} of ${withThousands(all.length)})`;
}
