// SPDX-License-Identifier: Apache-2.0
// Draws the lanes: time goes down, a row per event, a column per thread. Only what is in view is
// drawn, so that a frame costs the same however long the run is.

const STEP_COLUMN = 44;   // the numbers at the left, if they are not very long
const LANE_MIN = 190;     // narrower than this nobody can read: then the text has a column for itself
const LANE_MAX = 460;
const RAIL = {narrow: 5, wide: 18};  // a lane without text, beside that column
const RAILS_SHARE = 0.25;            // of the width, if that is enough for all of them
const TEXT_MIN = 150;                // of that column; with more rails than that leaves room for, the lanes scroll sideways
const SLOT = 6;           // a lock's bar and the gap beside it
const TEXT_FROM = 13;     // rows of at least this height have text
const TWO_LINES = 30;     // and of this the source below it
const GLYPH_FROM = 5;     // and of this the sign of the operation
const MOST_ARROWS = 400;  // in one frame

class Painter {
  constructor(trace, canvas) {
    this.trace = trace;
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
    this.readColours();
  }

  readColours() {
    this.colour = {};
    for (const name of ['card', 'raised', 'line', 'ink', 'mark', 'dim', 'faint', 'accent', 'bad', 'bad-ground', 'warn', 'good']) {
      this.colour[name] = themeColour('--' + name);
    }
    this.threadColour = this.trace.threads.map((_, index) => hue(index));
    this.threadTint = this.trace.threads.map((_, index) => hue(index, isDark() ? 0.16 : 0.1));
    this.objectColour = this.trace.data.objects.map((_, index) => hue(index + 5));  // not those of the first threads
    this.mono = themeColour('--mono');
  }

  // Columns for the lanes in the given width.
  layout(width) {
    const lanes = this.trace.lanes;
    this.steps = Math.max(STEP_COLUMN, 16 + 7.5 * withThousands(this.trace.data.steps).length);
    const fair = (width - this.steps) / Math.max(1, lanes.length);
    const laneWidth = Math.min(lanes.length === 1 ? Infinity : LANE_MAX, Math.max(LANE_MIN, fair));
    this.lane = new Map();  // thread -> {x, width, slots, glyph}; text goes from `from` to `to`
    const room = width - this.steps - TEXT_MIN;
    this.rails = fair < LANE_MIN && lanes.length > 1 && lanes.length * RAIL.narrow <= room;
    if (this.rails) return this.layoutRails(width, room);
    lanes.forEach((thread, index) => {
      const slots = Math.min(4, this.trace.slots[thread]);
      const x = this.steps + index * laneWidth, glyph = x + 12 + slots * SLOT;
      this.lane.set(thread, {x, width: laneWidth, slots, glyph, from: glyph + 11, to: x + laneWidth - 6});
    });
    this.width = this.steps + lanes.length * laneWidth;
  }

  // Narrow lanes side by side, and what happens in them in one column.
  layoutRails(width, room) {
    const {lanes} = this.trace, fair = Math.min(room, width * RAILS_SHARE) / lanes.length;
    const rail = Math.max(RAIL.narrow, Math.min(RAIL.wide, fair));
    this.width = width;
    this.text_x = this.steps + lanes.length * rail + 10;
    lanes.forEach((thread, index) => {
      const x = this.steps + index * rail;
      this.lane.set(thread, {x, width: rail, slots: 0, glyph: x + rail / 2, from: this.text_x, to: width - 6});
    });
  }

  // view: {width, height, left, top, rowHeight, selected, focused, allArrows, marked}
  paint(view) {
    const {context} = this;
    const ratio = devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, view.width, view.height);
    context.translate(-view.left, -view.top);
    this.view = view;
    this.first = Math.max(0, Math.floor(view.top / view.rowHeight) - 1);
    this.last = Math.min(this.trace.rows.length - 1, Math.ceil((view.top + view.height) / view.rowHeight));
    context.font = `12px ${this.mono}`;
    context.textBaseline = 'middle';
    this.character = context.measureText('m').width;
    this.paintSelection();
    this.paintLanes();
    this.paintStretches();
    this.paintWaits();
    this.paintHolds();
    this.paintSwitches();
    this.paintMarks();
    if (view.rowHeight >= GLYPH_FROM) this.paintArrows();
    this.paintRows();
    this.paintFocus();
  }

  y(row) { return row * this.view.rowHeight; }
  middle(row) { return (row + 0.5) * this.view.rowHeight; }
  // Row numbers are inclusive. Is any of it in view?
  inView(first, last) { return first <= this.last && last >= this.first; }

  text(text, x, y, width, colour) {
    const room = Math.floor(width / this.character);
    if (room < 2) return 0;
    const shown = text.length > room ? text.slice(0, room - 1) + '\u2026' : text;
    this.context.fillStyle = colour;
    this.context.fillText(shown, x, y);
    return shown.length * this.character;
  }

  paintSelection() {
    const {context, view} = this;
    if (view.selected < 0) return;
    context.fillStyle = this.colour.raised;
    context.fillRect(0, this.y(view.selected), this.width, Math.max(2, view.rowHeight));
  }

  paintFocus() {
    const {context, view} = this;
    if (view.selected < 0 || view.rowHeight < 3) return;
    context.strokeStyle = view.focused ? this.colour.accent : this.colour.faint;
    context.lineWidth = view.focused ? 2 : 1;
    context.strokeRect(1, this.y(view.selected) + 1, this.width - 2, view.rowHeight - 2);
  }

  // What somebody points at; and at the left edge what the explanation is about.
  paintMarks() {
    const {context, trace, view} = this;
    context.fillStyle = this.colour.mark;
    for (const row of view.marked) if (this.inView(row, row)) context.fillRect(0, this.y(row), this.width, Math.max(2, view.rowHeight));
    context.fillStyle = this.colour.accent;
    for (const index of trace.explained) {
      const row = trace.rowOf[index];
      if (row >= 0 && this.inView(row, row)) context.fillRect(0, this.y(row) + 1, 4, Math.max(2, view.rowHeight - 2));
    }
  }

  paintLanes() {
    const {context, view} = this;
    context.fillStyle = this.colour.line;
    for (const {x} of this.lane.values()) context.fillRect(x, view.top, 1, view.height);
  }

  paintStretches() {
    const {context, trace, view} = this;
    const solid = view.rowHeight < GLYPH_FROM;
    for (const stretch of trace.data.stretches) {
      const lane = this.lane.get(stretch.thread);
      if (!lane) continue;
      const first = trace.rowFrom(stretch.first), last = trace.rowUpTo(stretch.last);
      if (first < 0 || last < first || !this.inView(first, last)) continue;
      const height = Math.max(1, (last - first + 1) * view.rowHeight);
      context.fillStyle = solid ? this.threadColour[stretch.thread] : this.threadTint[stretch.thread];
      if (solid) context.globalAlpha = 0.55;
      context.fillRect(lane.x + 1, this.y(first), lane.width - 1, height);
      if (this.rails) context.fillRect(this.text_x - 4, this.y(first), this.width - this.text_x + 4, height);
      context.globalAlpha = 1;
    }
  }

  paintWaits() {
    const {context, trace, view} = this;
    this.waitLabels = new Set();  // 'thread:row'
    for (const wait of trace.data.waits) {
      const lane = this.lane.get(wait.thread);
      if (!lane) continue;
      const first = trace.rowFrom(wait.first);
      const last = wait.ended ? trace.rowUpTo(wait.last) : trace.failureRow;
      if (first < 0 || last < first || !this.inView(first, last)) continue;
      context.strokeStyle = this.threadColour[wait.thread];
      context.lineWidth = 1.5;
      context.setLineDash([2, 4]);
      line(context, lane.glyph, this.y(first), lane.glyph, this.y(last + 1));
      context.setLineDash([]);
      if (view.rowHeight < TEXT_FROM || this.rails) continue;
      const what = wait.object === null ? wait.op : `${wait.op} ${trace.objectName(wait.object)}`;
      const row = Math.min(last, Math.max(first, this.first + 1));
      this.waitLabels.add(`${wait.thread}:${row}`);
      this.text(`waits: ${what}`, lane.glyph + 14, this.middle(row), lane.x + lane.width - lane.glyph - 18, this.colour.dim);
    }
  }

  paintHolds() {
    const {context, trace} = this;
    for (const hold of trace.data.holds) {
      const lane = this.lane.get(hold.thread);
      if (!lane || hold.slot >= lane.slots) continue;
      const first = trace.rowFrom(hold.first), last = hold.released ? trace.rowUpTo(hold.last) : trace.failureRow;
      if (first < 0 || last < first || !this.inView(first, last)) continue;
      const x = lane.x + 4 + hold.slot * SLOT;
      const top = this.middle(first), bottom = hold.released ? this.middle(last) : this.y(last + 1);
      context.fillStyle = this.objectColour[hold.object];
      context.globalAlpha = hold.shared ? 0.45 : 0.9;
      context.fillRect(x, top, SLOT - 2, Math.max(2, bottom - top));
      context.globalAlpha = 1;
    }
  }

  // A line from the lane that stops to the one that goes on.
  paintSwitches() {
    const {context, trace, view} = this;
    if (view.rowHeight < 2) return;
    let before = null;
    for (let row = Math.max(0, this.first - 1); row <= this.last; ++row) {
      const index = trace.rows[row];
      if (index < 0 || trace.events[index].executed === false) continue;
      const thread = trace.events[index].thread;
      if (before && before.thread !== thread) {
        const from = this.lane.get(before.thread), to = this.lane.get(thread);
        const stretch = trace.data.stretches[trace.stretchOf[before.index]];
        const preempted = stretch && stretch.end === 'preempted';
        context.strokeStyle = preempted ? this.colour.warn : this.colour.faint;
        context.lineWidth = preempted ? 1.5 : 1;
        line(context, from.glyph, this.y(row), to.glyph, this.y(row));
        if (preempted && this.rails) line(context, this.text_x - 4, this.y(row), this.width, this.y(row));
        if (preempted && !this.rails && view.rowHeight >= TEXT_FROM && !this.waitLabels.has(`${before.thread}:${row}`)) {
          this.text('\u2500 preempted \u2500', from.glyph + 14, this.middle(row), from.x + from.width - from.glyph - 18, this.colour.warn);
        }
      }
      before = {thread, index};
    }
  }

  paintArrows() {
    const {trace, view} = this;
    const chosen = view.selected >= 0 ? trace.rows[view.selected] : -1;
    this.drawn = this.drawnBack = 0;
    for (let row = this.first; row <= this.last && view.allArrows && this.drawn < MOST_ARROWS; ++row) {
      const index = trace.rows[row];
      const event = index >= 0 ? trace.events[index] : null;
      if (!event || event.reads_from === undefined || event.stale || index === chosen || event.reads_from === chosen) continue;
      if (trace.isBetweenThreads(index) && !trace.matters.has(index)) this.arrow(event.reads_from, index, 0.38, 1.1);
    }
    for (const index of [...trace.matters].slice(-MOST_ARROWS)) this.arrow(trace.events[index].reads_from, index, 0.75, 1.6);
    for (const index of trace.stale.slice(-MOST_ARROWS)) this.arrowToThePast(index);
    if (chosen < 0) return;
    const event = trace.events[chosen];
    if (event.reads_from !== undefined && !event.stale) this.arrow(event.reads_from, chosen, 1, 2);
    for (const reader of (trace.readers.get(chosen) || []).slice(0, MOST_ARROWS)) {
      if (!trace.events[reader].stale) this.arrow(chosen, reader, 1, 2);
    }
  }

  // From a stale read back to the store that it has read, or to the beginning.
  arrowToThePast(index) {
    const {context, trace} = this, source = trace.events[index].reads_from;
    const fromRow = trace.rowOf[index], toRow = source === undefined ? 0 : trace.rowOf[source];
    if (fromRow < 0 || toRow < 0 || !this.inView(toRow, fromRow)) return;
    const a = this.lane.get(trace.events[index].thread), b = source === undefined ? a : this.lane.get(trace.events[source].thread);
    ++this.drawnBack;
    const start = {x: a.glyph, y: this.middle(fromRow)};
    const end = source === undefined ? {x: a.glyph - 10, y: this.y(toRow)} : {x: b.glyph, y: this.middle(toRow) + 5};
    const bow = a === b ? -22 : 0, rise = Math.min(60, (start.y - end.y) * 0.6);
    context.strokeStyle = context.fillStyle = this.colour.warn;
    context.lineWidth = 1.8;
    context.setLineDash([5, 4]);
    context.beginPath();
    context.moveTo(start.x, start.y);
    context.bezierCurveTo(start.x + bow, start.y - rise, end.x + bow, end.y + rise, end.x, end.y);
    context.stroke();
    context.setLineDash([]);
    context.beginPath();
    context.moveTo(end.x, end.y - 1);
    context.lineTo(end.x - 4, end.y + 7);
    context.lineTo(end.x + 4, end.y + 7);
    context.fill();
  }

  arrow(from, to, alpha, width) {
    const {context, trace} = this;
    const fromRow = trace.rowOf[from], toRow = trace.rowOf[to];
    if (fromRow < 0 || toRow < 0 || !this.inView(fromRow, toRow)) return;
    ++this.drawn;
    const a = this.lane.get(trace.events[from].thread), b = this.lane.get(trace.events[to].thread);
    const start = {x: a.glyph, y: this.middle(fromRow)}, end = {x: b.glyph, y: this.middle(toRow)};
    // Within one lane it bows out; otherwise it leaves downwards and arrives from above.
    const bow = a === b ? -26 : 0, drop = Math.min(60, (end.y - start.y) * 0.6);
    context.globalAlpha = alpha;
    context.strokeStyle = context.fillStyle = this.colour.accent;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(start.x, start.y);
    context.bezierCurveTo(start.x + bow, start.y + drop, end.x + bow, end.y - drop, end.x, end.y - 5);
    context.stroke();
    context.beginPath();
    context.moveTo(end.x, end.y - 4);
    context.lineTo(end.x - 4, end.y - 11);
    context.lineTo(end.x + 4, end.y - 11);
    context.fill();
    context.globalAlpha = 1;
  }

  paintRows() {
    const {trace, view} = this;
    if (view.rowHeight < GLYPH_FROM) return this.paintFailure(trace.failureRow);
    for (let row = this.first; row <= this.last; ++row) {
      const index = trace.rows[row];
      if (index === FAILURE_ROW) this.paintFailure(row);
      else if (index === GAP_ROW) this.paintGap(row);
      else this.paintEvent(row, index);
    }
  }

  paintEvent(row, index) {
    const {context, trace, view} = this;
    const event = trace.events[index], lane = this.lane.get(event.thread), y = this.middle(row);
    glyph(context, trace.kind(event), lane.glyph, y, Math.min(4.5, view.rowHeight / 3), this.threadColour[event.thread], this.colour.card, event.executed !== false);
    if (view.rowHeight < TEXT_FROM) return;
    const isExplained = trace.explained.has(index);
    if (event.executed !== false) this.text(withThousands(event.step), 8, y, this.steps - 10, isExplained ? this.colour.accent : this.colour.faint);
    let x = lane.from;
    const end = lane.to, two = view.rowHeight >= TWO_LINES;
    if (this.rails) x += this.text(trace.threads[event.thread].label, x, two ? y - 7 : y, end - x, this.threadColour[event.thread]) + this.character;
    const used = this.text(trace.operation(event, Math.floor((end - x) / this.character)), x, two ? y - 7 : y, end - x, this.colour.ink);
    x = two ? lane.from : x + used + this.character;
    const place = trace.place(event);
    if (!place) return;
    // The same line as just before in this lane need not be said again.
    const above = trace.eventAt(row - 1);
    const repeated = above && above.thread === event.thread && above.place === event.place;
    const code = place.line ? `${place.line} ${place.text || ''}` : trace.placeText(place);
    this.text(repeated && !two ? '\u2033' : code, x, two ? y + 8 : y, end - x, this.colour.dim);
  }

  paintGap(row) {
    const {context} = this;
    context.strokeStyle = this.colour.faint;
    context.setLineDash([1, 5]);
    context.lineWidth = 2;
    line(context, 0, this.middle(row), this.width, this.middle(row));
    context.setLineDash([]);
    if (this.view.rowHeight < TEXT_FROM) return;
    const text = `${plural(this.trace.gaps.get(row), 'event')} left out`;
    context.fillStyle = this.colour.card;
    context.fillRect(this.steps, this.y(row), (text.length + 2) * this.character, this.view.rowHeight);
    this.text(text, this.steps + this.character, this.middle(row), this.width, this.colour.dim);
  }

  paintFailure(row) {
    const {context, trace, view} = this;
    context.fillStyle = view.rowHeight < GLYPH_FROM ? this.colour.bad : this.colour['bad-ground'];
    context.fillRect(0, this.y(row), this.width, Math.max(2, view.rowHeight));
    if (view.rowHeight < TEXT_FROM) return;
    const lane = this.lane.get(trace.data.thread);
    const text = `\u2717 ${trace.data.summary}`;
    // From its own lane if it fits there, else from further left.
    const wanted = this.rails ? this.text_x : lane ? lane.glyph - 4 : this.steps + 8;
    const x = Math.max(8, Math.min(wanted, this.width - text.length * this.character - 8));
    context.font = `bold 12px ${this.mono}`;
    this.text(text, x, this.middle(row), this.width - x, this.colour.bad);
    context.font = `12px ${this.mono}`;
  }

  // All of the run in a narrow strip.
  paintOverview(canvas) {
    const {trace} = this;
    const ratio = devicePixelRatio || 1, context = canvas.getContext('2d');
    canvas.width = Math.max(1, canvas.clientWidth * ratio);
    canvas.height = Math.max(1, canvas.clientHeight * ratio);
    const scale = canvas.height / Math.max(1, trace.rows.length);
    trace.rows.forEach((index, row) => {
      if (index === GAP_ROW || (index >= 0 && trace.events[index].executed === false)) return;
      context.fillStyle = index === FAILURE_ROW ? this.colour.bad : this.threadColour[trace.events[index].thread];
      context.fillRect(0, row * scale, canvas.width, Math.max(index === FAILURE_ROW ? 3 : 0.5, scale));
    });
  }
}

function line(context, x1, y1, x2, y2) {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

// Reads are hollow, writes are filled; locks are square, all else is a diamond.
function glyph(context, kind, x, y, size, colour, ground, executed) {
  const hollow = kind === 'read' || kind === 'release' || !executed;
  context.beginPath();
  if (kind === 'acquire' || kind === 'release') {
    context.rect(x - size, y - size, 2 * size, 2 * size);
  } else if (kind === 'other') {
    context.moveTo(x, y - size - 1);
    context.lineTo(x + size + 1, y);
    context.lineTo(x, y + size + 1);
    context.lineTo(x - size - 1, y);
    context.closePath();
  } else {
    context.arc(x, y, size, 0, 7);
  }
  context.fillStyle = hollow ? ground : colour;
  context.strokeStyle = colour;
  context.lineWidth = 1.6;
  context.setLineDash(executed ? [] : [2, 2]);
  context.fill();
  context.stroke();
  context.setLineDash([]);
  if (kind !== 'update') return;
  context.beginPath();
  context.arc(x, y, size * 0.4, 0, 7);
  context.fillStyle = ground;
  context.fill();
}
