// SPDX-License-Identifier: Apache-2.0
// The failure as the page uses it: what the command wrote, with indices the other way round, and
// the rows that are left after filtering.

const FAILURE_ROW = -1;
const GAP_ROW = -2;

const KIND_OF_OP = {
  read: 'read', atomic_load: 'read', write: 'write', atomic_store: 'write', atomic_rmw: 'update',
  lock: 'acquire', trylock: 'acquire', read_lock: 'acquire', write_lock: 'acquire', spin_lock: 'acquire',
  unlock: 'release', rw_unlock: 'release', spin_unlock: 'release',
};

class Trace {
  constructor(data) {
    this.data = data;
    this.threads = data.threads;
    this.events = data.events;
    this.readers = new Map();  // event -> those that read from it
    this.stretchOf = new Int32Array(this.events.length).fill(-1);
    this.events.forEach((event, index) => {
      if (event.reads_from === undefined) return;
      if (!this.readers.has(event.reads_from)) this.readers.set(event.reads_from, []);
      this.readers.get(event.reads_from).push(index);
    });
    data.stretches.forEach((stretch, index) => {
      for (let i = stretch.first; i <= stretch.last; ++i) this.stretchOf[i] = index;
    });
    this.explained = new Set(data.explained || []);  // events that the sentence is about
    this.stale = this.events.flatMap((event, index) => event.stale ? [index] : []);
    this.executed = this.events.filter((event) => event.executed !== false).length;
    this.hiddenThreads = new Set();
    this.object = null;
    // A run in which nothing but library code was seen is shown as it is.
    const isLibrary = (event) => this.isLibrary(event);
    this.hasLibrary = this.events.some(isLibrary) && !this.events.every(isLibrary);
    this.showLibrary = !this.hasLibrary;
    this.assignHoldSlots();
    this.findArrowsThatMatter();
    this.filter();
  }

  // Of all reads of what another thread wrote: those the explanation is about or, without one, the
  // last ones of the thread that failed.
  findArrowsThatMatter() {
    this.matters = new Set();  // events: the arrow that leads to each
    this.events.forEach((event, index) => {
      if (event.reads_from === undefined || event.stale || !this.isBetweenThreads(index)) return;
      if (this.explained.has(index) || this.explained.has(event.reads_from)) this.matters.add(index);
    });
    if (this.explained.size) return;
    for (let index = this.executed - 1; index >= 0 && this.matters.size < 3; --index) {
      const event = this.events[index];
      if (event.thread === this.data.thread && event.reads_from !== undefined && this.isBetweenThreads(index)) this.matters.add(index);
    }
  }

  // Does it observe another thread? Who had a lock before is no news.
  isBetweenThreads(index) {
    const event = this.events[index];
    return this.events[event.reads_from].thread !== event.thread && this.kind(event) !== 'acquire';
  }

  // Relative to the folder of the sources, if it is below it.
  fileName(file) { return this.data.root && file.startsWith(this.data.root) ? file.slice(this.data.root.length) : file; }
  place(event) { return event.place === undefined ? null : this.data.places[event.place]; }
  objectName(index) { return this.data.objects[index].name; }
  kind(event) { return KIND_OF_OP[event.op] || 'other'; }

  // Reads and writes in headers of libraries (a thread's start-up, say) are rarely the story.
  isLibrary(event) {
    const place = this.place(event);
    return (event.op === 'read' || event.op === 'write') && place !== null && place.library === true;
  }

  // 'write total = 50'; in so many characters, if that is possible: the value stays.
  operation(event, room = Infinity) {
    const object = event.object === undefined ? '' : ' ' + this.objectName(event.object);
    const what = (event.executed === false ? 'about to ' : '') + event.op + object;
    const value = (event.value === undefined ? '' : ' = ' + event.value) + (event.stale ? ', stale' : '');
    const left = room - value.length;
    return what.length <= left || left < event.op.length + 4 ? what + value : what.slice(0, left - 1) + '\u2026' + value;
  }

  placeText(place) {
    if (!place) return '';
    return place.line ? `${baseName(place.file)}:${place.line}` : place.function || place.where;
  }

  isShown(event, index) {
    return !this.hiddenThreads.has(event.thread) && this.isStory(event, index) &&
        (this.object === null || event.object === this.object);
  }

  isStory(event, index) { return this.showLibrary || !this.isLibrary(event) || this.explained.has(index); }

  // Threads of which there is something to show, hidden or not.
  threadsWithSteps() {
    const threads = new Set();
    this.events.forEach((event, index) => { if (this.isStory(event, index)) threads.add(event.thread); });
    return [...threads].sort((a, b) => a - b);
  }

  // Makes an event visible that a filter hides.
  unhide(index) {
    if (this.rowOf[index] >= 0) return false;
    const event = this.events[index];
    this.hiddenThreads.delete(event.thread);
    this.object = null;
    if (!this.isStory(event, index)) this.showLibrary = true;
    return true;
  }

  // rows: an event's index, FAILURE_ROW or GAP_ROW; rowOf: the inverse, -1 for hidden events.
  filter() {
    this.rows = [];
    this.gaps = new Map();  // row -> how many events were left out there
    this.rowOf = new Int32Array(this.events.length).fill(-1);
    let leftOut = 0;
    const failureRow = () => { this.failureRow = this.rows.push(FAILURE_ROW) - 1; };
    this.failureRow = -1;
    this.events.forEach((event, index) => {
      if (index === this.executed) failureRow();
      leftOut += event.left_out_before || 0;
      if (!this.isShown(event, index)) return;
      if (leftOut) {
        this.gaps.set(this.rows.length, leftOut);
        this.rows.push(GAP_ROW);
        leftOut = 0;
      }
      this.rowOf[index] = this.rows.push(index) - 1;
    });
    if (this.failureRow < 0) failureRow();
    this.rowBefore = this.rowOf.slice();
    this.rowAfter = this.rowOf.slice();
    for (let i = 1; i < this.executed; ++i) if (this.rowBefore[i] < 0) this.rowBefore[i] = this.rowBefore[i - 1];
    for (let i = this.executed - 2; i >= 0; --i) if (this.rowAfter[i] < 0) this.rowAfter[i] = this.rowAfter[i + 1];
    // A thread without a row has no lane.
    this.lanes = [...new Set(this.rows.filter((index) => index >= 0).map((index) => this.events[index].thread))].sort((a, b) => a - b);
  }

  eventAt(row) { return row >= 0 && row < this.rows.length && this.rows[row] >= 0 ? this.events[this.rows[row]] : null; }

  // The first shown row at or after an event, the last at or before it; -1 when there is none.
  rowFrom(index) { return this.rowAfter[index]; }
  rowUpTo(index) { return this.rowBefore[index]; }

  // Bars of locks held at the same time by one thread lie side by side.
  assignHoldSlots() {
    this.slots = this.threads.map(() => 0);
    const free = this.threads.map(() => []);  // per slot: the event behind which it is free
    for (const hold of this.data.holds) {
      const ends = free[hold.thread];
      let slot = ends.findIndex((end) => end < hold.first);
      if (slot < 0) slot = ends.length;
      ends[slot] = hold.last;
      hold.slot = slot;
      this.slots[hold.thread] = Math.max(this.slots[hold.thread], slot + 1);
    }
  }

  holdsAt(thread, index) {
    return this.data.holds.filter((hold) => hold.thread === thread && hold.first <= index &&
        (index < hold.last || (!hold.released && index <= hold.last)));
  }
}
