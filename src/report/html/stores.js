// SPDX-License-Identifier: Apache-2.0
// Weak memory: for each atomic whose newest store was not always read, its stores in their
// modification order, from the oldest to the newest, and who read which.

const MOST_STORES = 60;   // of one variable; the newest
const MOST_READERS = 6;   // of one store

class StoresView {
  // choose(index): what a click on an operation does.
  constructor(trace, choose, links) {
    Object.assign(this, {trace, choose, links});
    this.orders = (trace.data.weak_memory && trace.data.weak_memory.modification_orders) || [];
    this.boxes = new Map();  // event -> its box
    links.onPoint((target) => this.boxes.forEach((box, index) => box.classList.toggle('linked', Boolean(target) && target.events.includes(index))));
  }

  render() {
    byId('stores').hidden = this.orders.length === 0;
    byId('store-orders').replaceChildren(...this.orders.map((order) => this.storeOrder(order)));
  }

  storeOrder(order) {
    const {trace} = this;
    const stores = order.stores.slice(-MOST_STORES), readers = this.readersOf(order);
    const omitted = order.stores.length - stores.length;
    const first = omitted ? element('li', {class: 'store initial'}, element('span', {class: 'what'}, `${plural(omitted, 'older store')}`))
        : element('li', {class: 'store initial'}, element('span', {class: 'what'}, trace.data.left_out.for_length ? 'earlier' : 'initially'), ...this.readerButtons(readers.get(-1)));
    const items = stores.map((index) => {
      const event = trace.events[index], thread = trace.threads[event.thread];
      const item = element('li', {class: 'store', '--hue': hue(event.thread)},
          this.button(index, 'what', element('b', {}, event.value === undefined ? 'stored' : event.value),
              element('span', {}, `${thread.label} ${trace.placeText(trace.place(event))}`)),
          ...this.readerButtons(readers.get(index)));
      this.boxes.set(index, item);
      return item;
    });
    return element('div', {class: 'store-order'}, element('h3', {}, trace.objectName(order.object)), element('ol', {}, first, ...items));
  }

  // store (-1: what was there before) -> operations that read it
  readersOf(order) {
    const readers = new Map();
    this.trace.events.forEach((event, index) => {
      if (event.object !== order.object || event.executed === false || !/^atomic_(load|rmw)$/.test(event.op)) return;
      const store = event.reads_from === undefined ? -1 : event.reads_from;
      if (!readers.has(store)) readers.set(store, []);
      readers.get(store).push(index);
    });
    return readers;
  }

  // Stale ones first: they are the story.
  readerButtons(readers = []) {
    const {trace} = this;
    const sorted = [...readers].sort((a, b) => Number(Boolean(trace.events[b].stale)) - Number(Boolean(trace.events[a].stale)));
    const buttons = sorted.slice(0, MOST_READERS).map((index) => {
      const event = trace.events[index], text = `${trace.threads[event.thread].label} ${trace.placeText(trace.place(event))}`;
      return this.button(index, event.stale ? 'reader stale' : 'reader', event.stale ? `read stale by ${text}` : `read by ${text}`);
    });
    if (sorted.length > MOST_READERS) buttons.push(element('span', {class: 'reader'}, `and ${withThousands(sorted.length - MOST_READERS)} more`));
    return buttons;
  }

  button(index, kind, ...children) {
    return element('button', {
      type: 'button', class: `plain ${kind}`, title: this.trace.operation(this.trace.events[index]), onclick: () => this.choose(index),
      onpointerenter: () => this.links.pointAtEvent(index), onpointerleave: () => this.links.point(null),
    }, ...children);
  }
}
