// SPDX-License-Identifier: Apache-2.0
// The source listing: the excerpts of one file that the report has, with dots where threads were.

class SourceView {
  // onChoose(file, line) and onPoint(file, line) are called for lines with events; line is 0 when
  // nothing is pointed at any more.
  constructor(trace, onChoose, onPoint) {
    this.trace = trace;
    this.onChoose = onChoose;
    this.onPoint = onPoint;
    this.node = byId('source');
    this.used = new Map();  // 'file:line' -> threads with events there
    this.explained = new Set();
    trace.events.forEach((event, index) => {
      const place = trace.place(event);
      if (!place || !place.line) return;
      const key = `${place.file}:${place.line}`;
      if (!this.used.has(key)) this.used.set(key, new Set());
      this.used.get(key).add(event.thread);
      if (trace.explained.has(index)) this.explained.add(key);
    });
    this.file = null;
    this.lines = new Map();
    this.node.addEventListener('keydown', (event) => this.key(event));
    this.node.addEventListener('pointerleave', () => this.onPoint(this.file, 0));
  }

  // False: it is not part of the report.
  has(place) {
    return Boolean(place && place.line) && this.trace.data.sources.some((excerpt) =>
        excerpt.file === place.file && place.line >= excerpt.first && place.line < excerpt.first + excerpt.lines.length);
  }

  show(place) {
    if (!this.has(place)) return this.showMissing(place);
    if (this.file !== place.file) this.list(place.file);
    for (const line of this.node.querySelectorAll('.here')) {
      line.classList.remove('here');
      line.removeAttribute('aria-current');
    }
    const line = this.lines.get(place.line);
    line.classList.add('here');
    line.setAttribute('aria-current', 'true');
    this.here = place.line;
    this.reveal(line, this.node.clientHeight / 2);
  }

  // Somebody points at a line elsewhere. Without a line: no more.
  mark(file, number, reveal) {
    for (const line of this.node.querySelectorAll('.linked')) line.classList.remove('linked');
    const line = file === this.file ? this.lines.get(number) : null;
    if (!line) return;
    line.classList.add('linked');
    const y = line.offsetTop - this.node.scrollTop;
    if (reveal && (y < 24 || y > this.node.clientHeight - 20)) this.reveal(line, this.node.clientHeight / 2);
  }

  reveal(line, above) { this.node.scrollTo({top: Math.max(0, line.offsetTop - above), left: 0}); }

  showMissing(place) {
    this.file = null;
    this.lines = new Map();
    const text = !place ? ''
        : place.line ? `The source ${this.trace.fileName(place.file)}:${place.line} was not there when this report was made.`
        : `No source line for ${place.where}: was it compiled with -g?`;
    this.node.replaceChildren(element('div', {class: 'missing'}, text));
  }

  list(file) {
    this.file = file;
    this.lines = new Map();
    const list = element('ol');
    this.trace.data.sources.filter((excerpt) => excerpt.file === file).forEach((excerpt, index) => {
      if (index > 0) list.append(element('li', {class: 'gap'}, '\u22ef'));
      excerpt.lines.forEach((text, offset) => list.append(this.line(file, excerpt.first + offset, text)));
    });
    this.node.replaceChildren(element('div', {class: 'file'}, this.trace.fileName(file)), list);
  }

  line(file, number, text) {
    const key = `${file}:${number}`;
    const threads = [...(this.used.get(key) || [])].sort((a, b) => a - b).slice(0, 3);
    const dots = threads.map((t) => element('span', {'--hue': hue(t), title: this.trace.threads[t].title}));
    const handlers = threads.length ? {onclick: () => this.onChoose(file, number), onpointerenter: () => this.onPoint(file, number)} : {};
    const line = element('li', {class: `${threads.length ? 'used' : ''} ${this.explained.has(key) ? 'explained' : ''}`, ...handlers},
        element('b', {}, String(number)), element('i', {}, ...dots), text);
    this.lines.set(number, line);
    return line;
  }

  // Up and down go from one line with events to the next.
  key(event) {
    const direction = {ArrowUp: -1, ArrowDown: 1}[event.key];
    if (!direction || event.ctrlKey || event.metaKey || event.altKey || this.file === null) return;
    event.preventDefault();
    const used = [...this.lines.keys()].filter((number) => this.used.has(`${this.file}:${number}`));
    const next = direction > 0 ? used.find((number) => number > this.here) : used.findLast((number) => number < this.here);
    if (next !== undefined) this.onChoose(this.file, next);
  }

  // Colours have changed.
  renew() { this.file = null; }
}
