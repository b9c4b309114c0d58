// The source listing: the excerpts of one file that the report has, with dots where threads were.

class SourceView {
  constructor(trace) {
    this.trace = trace;
    this.node = byId('source');
    this.used = new Map();  // 'file:line' -> threads with events there
    for (const event of trace.events) {
      const place = trace.place(event);
      if (!place || !place.line) continue;
      const key = `${place.file}:${place.line}`;
      if (!this.used.has(key)) this.used.set(key, new Set());
      this.used.get(key).add(event.thread);
    }
    this.file = null;
  }

  show(place) {
    const excerpts = place && place.line
        ? this.trace.data.sources.filter((excerpt) => excerpt.file === place.file) : [];
    const known = excerpts.some((e) => place.line >= e.first && place.line < e.first + e.lines.length);
    if (!known) return this.showMissing(place);
    if (this.file !== place.file) this.list(place.file, excerpts);
    for (const line of this.node.querySelectorAll('.here')) {
      line.classList.remove('here');
      line.removeAttribute('aria-current');
    }
    const line = this.lines.get(place.line);
    line.classList.add('here');
    line.setAttribute('aria-current', 'true');
    const top = line.offsetTop - this.node.clientHeight / 2;
    this.node.scrollTo({top: Math.max(0, top), left: 0});
  }

  showMissing(place) {
    this.file = null;
    const text = !place ? ''
        : place.line ? `The source ${place.file}:${place.line} was not there when this report was made.`
        : `No source line for ${place.where}: was it compiled with -g?`;
    this.node.replaceChildren(element('div', {class: 'missing'}, text));
  }

  list(file, excerpts) {
    this.file = file;
    this.lines = new Map();
    const list = element('ol');
    excerpts.forEach((excerpt, index) => {
      if (index > 0) list.append(element('li', {class: 'gap'}, '\u22ef'));
      excerpt.lines.forEach((text, offset) => {
        const number = excerpt.first + offset;
        const threads = [...(this.used.get(`${file}:${number}`) || [])].sort((a, b) => a - b).slice(0, 3);
        const dots = threads.map((t) => element('span', {'--hue': hue(t), title: this.trace.threads[t].title}));
        const line = element('li', {}, element('b', {}, String(number)), element('i', {}, ...dots), text);
        this.lines.set(number, line);
        list.append(line);
      });
    });
    this.node.replaceChildren(element('div', {class: 'file'}, file), list);
  }

  // Colours have changed.
  renew() { this.file = null; }
}
