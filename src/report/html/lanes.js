// SPDX-License-Identifier: Apache-2.0
// The lanes as something to use: scrolling, zooming, choosing an event by pointer or keyboard.

const ROW = {smallest: 0.02, normal: 22, roomy: 38, largest: 44};
const FEW_ROWS = 60;  // so many may be roomy: with the source line below the operation

class Lanes {
  // onSelect(row) is called when another row is chosen, onPoint(event) while the pointer is at one;
  // -1: no more.
  constructor(trace, onSelect, onPoint) {
    this.trace = trace;
    this.onSelect = onSelect;
    this.onPoint = onPoint;
    this.canvas = byId('lanes');
    this.scroller = byId('scroller');
    this.overview = byId('overview');
    this.painter = new Painter(trace, this.canvas);
    this.rowHeight = trace.rows.length <= FEW_ROWS ? ROW.roomy : ROW.normal;
    this.selected = -1;
    this.allArrows = false;
    this.marked = new Set();  // rows that somebody points at
    this.frame = 0;
    this.listen();
  }

  // ---- drawing ----

  resize() {
    const ratio = devicePixelRatio || 1;
    const {clientWidth: width, clientHeight: height} = this.scroller;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.refresh();
  }

  // The rows, the lanes or the zoom have changed.
  refresh() {
    this.painter.layout(this.scroller.clientWidth);
    const extent = byId('extent').style;
    // clientWidth is rounded: what fits must not be a fraction too wide.
    extent.width = this.painter.width > this.scroller.clientWidth ? `${this.painter.width}px` : '100%';
    extent.height = `${this.trace.rows.length * this.rowHeight}px`;
    // On a narrow screen the box is as high as its content, if that is less than the screen.
    byId('trace').style.setProperty('--lanes-height', `${Math.ceil(this.trace.rows.length * this.rowHeight) + 50}px`);
    byId('lane-heads-row').replaceChildren(...this.heads());
    this.showMap();
    this.redraw();
  }

  heads() {
    const {painter, trace} = this;
    const head = (x, width, attributes, text) => {
      const node = element('div', attributes, text);
      node.style.left = `${x}px`;
      node.style.width = `${width}px`;
      return node;
    };
    const heads = trace.lanes.map((thread) => {
      const {x, width} = painter.lane.get(thread), {title} = trace.threads[thread];
      return head(x, width, {'--hue': hue(thread), title, class: painter.rails ? 'rail' : ''}, painter.rails ? '' : title);
    });
    if (painter.rails) heads.push(head(painter.text_x, painter.width - painter.text_x, {class: 'all'}, plural(trace.lanes.length, 'thread')));
    return heads;
  }

  // The map of all rows is only there while some are out of view.
  showMap() {
    const map = byId('map'), isNeeded = this.trace.rows.length * this.rowHeight > this.scroller.clientHeight + 1;
    if (map.hidden === isNeeded) map.hidden = !isNeeded;
    if (isNeeded) this.painter.paintOverview(this.overview);
  }

  redraw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.paintNow();
    });
  }

  paintNow() {
    const {scroller} = this;
    this.painter.paint({
      width: scroller.clientWidth, height: scroller.clientHeight, left: scroller.scrollLeft, top: scroller.scrollTop,
      rowHeight: this.rowHeight, selected: this.selected, focused: document.activeElement === scroller, allArrows: this.allArrows, marked: this.marked,
    });
    byId('lane-heads-row').style.transform = `translateX(${-scroller.scrollLeft}px)`;
    const whole = Math.max(1, this.trace.rows.length * this.rowHeight), size = this.overview.clientHeight;
    const frame = byId('window').style;
    frame.top = `${Math.min(1, scroller.scrollTop / whole) * size}px`;
    frame.height = `${Math.max(6, Math.min(1, scroller.clientHeight / whole) * size)}px`;
  }

  // ---- zooming ----

  // `at`: what stays where it is, in pixels below the top of the view.
  zoomTo(rowHeight, at = this.scroller.clientHeight / 2) {
    const row = (this.scroller.scrollTop + at) / this.rowHeight;
    this.rowHeight = Math.min(ROW.largest, Math.max(ROW.smallest, rowHeight));
    this.refresh();
    this.scroller.scrollTop = row * this.rowHeight - at;
    this.redraw();
  }

  zoomBy(factor, at) {
    const where = at === undefined && this.isInView(this.selected)
        ? (this.selected + 0.5) * this.rowHeight - this.scroller.scrollTop : at;
    this.zoomTo(this.rowHeight * factor, where);
  }

  fit() { this.zoomTo(Math.min(ROW.normal, this.scroller.clientHeight / Math.max(1, this.trace.rows.length))); }

  // ---- choosing ----

  isInView(row) {
    const y = row * this.rowHeight - this.scroller.scrollTop;
    return row >= 0 && y >= 0 && y + this.rowHeight <= this.scroller.clientHeight;
  }

  select(row) {
    const last = this.trace.rows.length - 1;
    this.selected = Math.max(0, Math.min(last, row));
    this.reveal(this.selected);
    this.onSelect(this.selected);
    this.redraw();
  }

  selectEvent(index) {
    if (this.trace.rowOf[index] >= 0) this.select(this.trace.rowOf[index]);
  }

  // Marks the rows of these events; `reveal`: and shows the last of them.
  mark(events, reveal) {
    this.marked = new Set(events.map((index) => this.trace.rowOf[index]).filter((row) => row >= 0));
    if (reveal && this.marked.size) this.reveal(Math.max(...this.marked));
    this.redraw();
  }

  // Scrolls as little as it takes, with some room around.
  reveal(row) {
    const {scroller} = this, room = Math.min(3 * this.rowHeight, scroller.clientHeight / 3);
    const y = row * this.rowHeight;
    if (y < scroller.scrollTop + room) scroller.scrollTop = y - room;
    const bottom = y + this.rowHeight + room;
    if (bottom > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = bottom - scroller.clientHeight;
    const event = this.trace.eventAt(row);
    const lane = this.painter.lane.get(event ? event.thread : this.trace.data.thread);
    if (!lane || this.painter.rails) return;
    if (lane.x < scroller.scrollLeft) scroller.scrollLeft = lane.x - this.painter.steps;
    if (lane.x + lane.width > scroller.scrollLeft + scroller.clientWidth) scroller.scrollLeft = lane.x + lane.width - scroller.clientWidth;
  }

  rowAtPointer(event) {
    const box = this.canvas.getBoundingClientRect();
    const row = Math.floor((event.clientY - box.top + this.scroller.scrollTop) / this.rowHeight);
    return row >= 0 && row < this.trace.rows.length ? row : -1;
  }

  // The nearest row whose event satisfies the condition, in one direction; the same row if none.
  find(direction, condition) {
    for (let row = this.selected + direction; row >= 0 && row < this.trace.rows.length; row += direction) {
      const event = this.trace.eventAt(row);
      if (event && condition(event, row)) return row;
    }
    return this.selected;
  }

  // The next event of the lane to the left or right.
  findLane(direction) {
    const event = this.trace.eventAt(this.selected);
    const thread = event ? event.thread : this.trace.data.thread;
    const at = this.trace.lanes.indexOf(thread);
    const lane = this.trace.lanes[Math.max(0, Math.min(this.trace.lanes.length - 1, at + direction))];
    if (lane === thread) return this.selected;
    const inLane = (other) => other.thread === lane;
    const before = this.find(-1, inLane), after = this.find(1, inLane);
    if (before === this.selected) return after;
    if (after === this.selected) return before;
    return after - this.selected <= this.selected - before ? after : before;
  }

  // Behind the last one it begins again.
  nextExplained() {
    const rows = [...this.trace.explained].map((index) => this.trace.rowOf[index]).filter((row) => row >= 0);
    return rows.find((row) => row > this.selected) ?? rows[0] ?? this.selected;
  }

  isSwitch(event, row) {
    const above = this.trace.eventAt(row - 1);
    return !above || above.thread !== event.thread;
  }

  key(name) {
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / this.rowHeight) - 2);
    const chosen = this.trace.eventAt(this.selected);
    const actions = {
      ArrowUp: () => this.select(this.selected - 1),
      ArrowDown: () => this.select(this.selected + 1),
      ArrowLeft: () => this.select(this.findLane(-1)),
      ArrowRight: () => this.select(this.findLane(1)),
      PageUp: () => this.select(this.selected - page),
      PageDown: () => this.select(this.selected + page),
      Home: () => this.select(0),
      End: () => this.select(this.trace.rows.length - 1),
      '[': () => this.select(this.find(-1, (event, row) => this.isSwitch(event, row))),
      ']': () => this.select(this.find(1, (event, row) => this.isSwitch(event, row))),
      w: () => this.select(this.nextExplained()),
      r: () => { if (chosen && chosen.reads_from !== undefined) this.selectEvent(chosen.reads_from); },
      '+': () => this.zoomBy(1.25), '=': () => this.zoomBy(1.25), '-': () => this.zoomBy(0.8), 0: () => this.fit(),
    };
    if (!actions[name]) return false;
    actions[name]();
    return true;
  }

  listen() {
    const {scroller} = this;
    scroller.addEventListener('scroll', () => this.redraw(), {passive: true});
    scroller.addEventListener('focus', () => this.redraw());
    scroller.addEventListener('blur', () => this.redraw());
    scroller.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (this.key(event.key)) event.preventDefault();
    });
    scroller.addEventListener('click', (event) => {
      const row = this.rowAtPointer(event);
      if (row >= 0) this.select(row);
    });
    // A pinch on a touchpad arrives as a wheel with Ctrl.
    scroller.addEventListener('wheel', (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoomBy(Math.exp(-event.deltaY * 0.004), event.clientY - scroller.getBoundingClientRect().top);
    }, {passive: false});
    this.listenToPinch();
    this.listenToHover();
    const jump = (event) => {
      const share = (event.clientY - this.overview.getBoundingClientRect().top) / this.overview.clientHeight;
      scroller.scrollTop = share * this.trace.rows.length * this.rowHeight - scroller.clientHeight / 2;
    };
    this.overview.addEventListener('pointerdown', (event) => { this.overview.setPointerCapture(event.pointerId); jump(event); });
    this.overview.addEventListener('pointermove', (event) => { if (event.buttons) jump(event); });
    new ResizeObserver(() => this.resize()).observe(scroller);
  }

  listenToPinch() {
    const distance = ([a, b]) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    let before = 0;
    this.scroller.addEventListener('touchmove', (event) => {
      if (event.touches.length !== 2) return;
      event.preventDefault();
      const now = distance(event.touches);
      const middle = (event.touches[0].clientY + event.touches[1].clientY) / 2 - this.scroller.getBoundingClientRect().top;
      if (before) this.zoomBy(now / before, middle);
      before = now;
    }, {passive: false});
    this.scroller.addEventListener('touchend', () => { before = 0; });
  }

  listenToHover() {
    const tip = byId('tip');
    let pointedAt = -1;
    const point = (index) => {
      if (index !== pointedAt) this.onPoint(index);
      pointedAt = index;
    };
    this.scroller.addEventListener('pointerleave', () => { tip.hidden = true; point(-1); });
    this.scroller.addEventListener('pointermove', (pointer) => {
      const row = pointer.buttons ? -1 : this.rowAtPointer(pointer);
      const event = this.trace.eventAt(row);
      point(event ? this.trace.rows[row] : -1);
      tip.hidden = !event || this.rowHeight < 3;
      if (tip.hidden) return;
      const place = this.trace.place(event);
      tip.replaceChildren(element('b', {}, this.trace.threads[event.thread].title), ` \u00b7 ${this.trace.operation(event)}`,
          element('code', {}, place ? `${this.trace.placeText(place)}${place.function ? ' in ' + place.function : ''}\n${place.text || ''}` : ''));
      tip.style.left = `${Math.min(pointer.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
      tip.style.top = `${pointer.clientY + 18 + tip.offsetHeight > innerHeight ? pointer.clientY - tip.offsetHeight - 10 : pointer.clientY + 18}px`;
    });
  }
}
