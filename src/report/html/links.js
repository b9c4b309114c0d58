// SPDX-License-Identifier: Apache-2.0
// The sentence, the rows and the source speak of the same operations. Whoever points at one (with
// the pointer or the focus) sees it in the others; a click, or Enter, chooses it.

class Links {
  // chooseEvent(index), chooseLine(file, line): what a click does.
  constructor(trace, chooseEvent, chooseLine) {
    this.trace = trace;
    this.words = [...document.querySelectorAll('a.op')].map((node) => ({
      node, file: node.dataset.file, line: Number(node.dataset.line),
      event: node.dataset.event === undefined ? null : Number(node.dataset.event),
    }));
    this.eventsOfLine = new Map();  // 'file:line' -> events
    trace.events.forEach((event, index) => {
      const place = trace.place(event);
      if (!place || !place.line) return;
      const key = `${place.file}:${place.line}`;
      if (!this.eventsOfLine.has(key)) this.eventsOfLine.set(key, []);
      this.eventsOfLine.get(key).push(index);
    });
    this.listeners = [];
    for (const word of this.words) this.listen(word, chooseEvent, chooseLine);
  }

  listen(word, chooseEvent, chooseLine) {
    const {node} = word;
    const point = () => this.point({event: word.event, file: word.file, line: word.line, fromWords: true});
    const leave = () => this.point(null);
    node.addEventListener('pointerenter', point);
    node.addEventListener('focus', point);
    node.addEventListener('pointerleave', leave);
    node.addEventListener('blur', leave);
    node.addEventListener('click', (click) => {
      click.preventDefault();
      if (word.event !== null) chooseEvent(word.event);
      else chooseLine(word.file, word.line);
    });
  }

  // listener({events, file, line, fromWords}), or null when nothing is pointed at any more.
  onPoint(listener) { this.listeners.push(listener); }

  events(file, line) { return this.eventsOfLine.get(`${file}:${line}`) || []; }

  pointAtEvent(index) {
    const place = index >= 0 ? this.trace.place(this.trace.events[index]) : null;
    this.point(index < 0 ? null : {event: index, file: place && place.file, line: place ? place.line : 0});
  }

  point(target) {
    const events = !target ? [] : target.event !== null && target.event !== undefined ? [target.event] : this.events(target.file, target.line);
    for (const word of this.words) word.node.classList.toggle('linked', Boolean(target) && this.isMeant(word, target));
    for (const listener of this.listeners) listener(target && {...target, events});
  }

  // An event is an event, whatever else is in its line; a line is all of its events.
  isMeant(word, target) {
    if (word.event !== null && target.event != null) return word.event === target.event;
    return word.file === target.file && word.line === target.line;
  }

  // What is chosen stays marked in the sentence.
  choose(index) {
    for (const {node, event} of this.words) {
      if (event !== null && event === index) node.setAttribute('aria-current', 'true');
      else node.removeAttribute('aria-current');
    }
  }
}
