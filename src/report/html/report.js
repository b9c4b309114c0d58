// SPDX-License-Identifier: Apache-2.0
// report.html: puts the parts together.

class Report {
  constructor(data) {
    this.trace = new Trace(data);
    this.links = new Links(this.trace, (index) => this.choose(index), (file, line) => this.chooseLine(file, line));
    this.source = new SourceView(this.trace, (file, line) => this.chooseLine(file, line),
        (file, line) => this.links.point(line ? {event: null, file, line} : null));
    this.waits = new WaitsView(this.trace);
    this.stores = new StoresView(this.trace, (index) => this.choose(index), this.links);
    this.lanes = new Lanes(this.trace, (row) => this.describe(row), (index) => this.links.pointAtEvent(index));
    this.links.onPoint((target) => {
      this.lanes.mark(target ? target.events : [], Boolean(target && target.fromWords));
      this.source.mark(target && target.file, target ? target.line : 0, Boolean(target && target.fromWords));
    });
  }

  start() {
    byId('copy').addEventListener('click', () => this.copy(this.trace.data.replay));
    this.fillToolbar();
    this.fillLegend();
    this.waits.render();
    renderCallbacks(this.trace, this.source, this.links);
    this.stores.render();
    setUpTheme();
    setUpPrinting(this.trace);
    onThemeChange(() => {
      this.lanes.painter.readColours();
      this.fillThreads();
      this.fillLegend();
      this.waits.render();
      this.stores.render();
      this.source.renew();
      this.describe(this.lanes.selected);
      this.lanes.refresh();
    });
    this.lanes.resize();
    this.lanes.select(this.trace.failureRow);
    const wanted = location.hash.match(/^#event-(\d+)$/);
    if (wanted && Number(wanted[1]) < this.trace.events.length) this.choose(Number(wanted[1]));
  }

  // ---- what the sentence and the source lead to ----

  choose(index) {
    if (this.trace.unhide(index)) {
      byId('object').value = '';
      byId('library').checked = this.trace.showLibrary;
      this.fillThreads();
      this.filterChanged();
    }
    this.lanes.selectEvent(index);
    byId('scroller').scrollIntoView({block: 'nearest'});
  }

  // The next event of this line, beginning with one that the explanation is about.
  chooseLine(file, line) {
    const events = this.links.events(file, line), now = this.trace.rows[this.lanes.selected];
    if (!events.length) {
      this.source.show({file, line, where: ''});
      byId('details').scrollIntoView({block: 'nearest'});
      return;
    }
    const explained = events.find((index) => this.trace.explained.has(index));
    const next = events.includes(now) ? events.find((index) => index > now) ?? events[0] : explained ?? events[0];
    this.choose(next);
  }

  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      byId('copy').textContent = 'copied';
    } catch {
      getSelection().selectAllChildren(byId('replay-command'));  // no permission: ready for Ctrl+C
    }
  }

  fillToolbar() {
    this.fillThreads();
    byId('threads-box').open = this.trace.threadsWithSteps().length <= MOST_CHIPS;
    const objects = this.trace.data.objects.map((object, index) => ({...object, index}))
        .filter((object) => object.accesses > 0)
        .sort((a, b) => b.threads - a.threads || b.accesses - a.accesses);
    byId('object').append(element('option', {value: ''}, 'all'),
        ...objects.slice(0, 500).map((object) => element('option', {value: object.index}, `${object.name} (${object.accesses})`)));
    byId('object').addEventListener('change', (event) => {
      this.trace.object = event.target.value === '' ? null : Number(event.target.value);
      this.filterChanged();
    });
    byId('library-label').hidden = !this.trace.hasLibrary;
    byId('library').addEventListener('change', (event) => {
      this.trace.showLibrary = event.target.checked;
      this.fillThreads();
      this.filterChanged();
    });
    byId('arrows').addEventListener('change', (event) => {
      this.lanes.allArrows = event.target.checked;
      this.lanes.redraw();
    });
    byId('zoom-in').addEventListener('click', () => this.lanes.zoomBy(1.4));
    byId('zoom-out').addEventListener('click', () => this.lanes.zoomBy(1 / 1.4));
    byId('zoom-fit').addEventListener('click', () => this.lanes.fit());
    byId('help-button').addEventListener('click', (event) => {
      byId('help').hidden = !byId('help').hidden;
      event.target.setAttribute('aria-expanded', String(!byId('help').hidden));
    });
  }

  fillThreads() {
    const {hiddenThreads, threads} = this.trace, withSteps = this.trace.threadsWithSteps();
    byId('threads-count').textContent = plural(withSteps.length, 'thread');
    const without = threads.filter((_, index) => !withSteps.includes(index)).map((thread) => thread.title);
    const names = without.length > 8 ? `${without.slice(0, 8).join(', ')} and ${withThousands(without.length - 8)} more` : without.join(', ');
    byId('dropped').textContent = without.length ? `No step of ${names} is shown.` : '';
    byId('threads').replaceChildren(...withSteps.map((index) => [threads[index], index]).map(([thread, index]) => element('button', {
      type: 'button', '--hue': hue(index), 'aria-pressed': String(!hiddenThreads.has(index)), title: `${thread.title} (${thread.path})`,
      onclick: (event) => {
        if (!hiddenThreads.delete(index)) hiddenThreads.add(index);
        event.currentTarget.setAttribute('aria-pressed', String(!hiddenThreads.has(index)));
        this.filterChanged();
      },
    }, element('i'), element('span', {}, thread.title))));
  }

  fillLegend() {
    const kinds = [['read', 'read'], ['write', 'write'], ['update', 'atomic update'], ['acquire', 'lock'], ['release', 'unlock'], ['other', 'other']];
    byId('legend').replaceChildren(...kinds.flatMap(([kind, text]) => {
      const canvas = element('canvas', {width: 32, height: 32, 'aria-hidden': 'true'});
      canvas.style.cssText = 'width:16px;height:16px;vertical-align:-3px;margin-left:.6rem';
      const context = canvas.getContext('2d');
      context.scale(2, 2);
      glyph(context, kind, 8, 8, 4.5, themeColour('--dim'), themeColour('--card'), true);
      return [canvas, ` ${text}`];
    }), ' \u00b7 bars at the left of a lane: locks held', this.trace.stale.length ? ' \u00b7 dashed arrows lead back to what a stale read has read' : '');
  }

  filterChanged() {
    const chosen = this.lanes.selected >= 0 ? this.trace.rows[this.lanes.selected] : FAILURE_ROW;
    this.trace.filter();
    this.lanes.refresh();
    const row = chosen >= 0 ? this.trace.rowOf[chosen] : -1;
    this.lanes.select(row >= 0 ? row : chosen >= 0 ? Math.max(0, this.trace.rowUpTo(Math.min(chosen, this.trace.executed - 1))) : this.trace.failureRow);
  }

  // ---- the panel ----

  describe(row) {
    const index = this.trace.rows[row], {data} = this.trace;
    this.links.choose(index);
    if (index === GAP_ROW) return this.show(`${plural(this.trace.gaps.get(row), 'event')} left out here`, [], null, []);
    if (index === FAILURE_ROW) {
      const thread = data.thread === null ? null : this.trace.threads[data.thread];
      const place = data.place || (thread && thread.at) || this.firstWait();
      const facts = thread ? [['thread', thread.title]] : [];
      if (data.block) facts.push(['address', data.block.address]);
      return this.show(`\u2717 ${data.summary}`, facts, place, data.race ? [] : data.stack, [...this.raceStacks(), ...this.heapStacks()]);
    }
    const event = this.trace.events[index], thread = this.trace.threads[event.thread], place = this.trace.place(event);
    this.show(`${thread.label} \u00b7 ${this.trace.operation(event)}`, this.facts(event, index), place, event.executed === false ? thread.stack || [] : []);
  }

  raceStacks() {
    return (this.trace.data.race || []).map(({thread, access, stack}) =>
        [`${thread === null ? 'somebody' : this.trace.threads[thread].title}: ${access}`, stack]).reverse();
  }

  // Who freed and who allocated the memory that the failure is about: [title, stack].
  heapStacks() {
    const {block, leaks = []} = this.trace.data;
    const who = (index) => index === null ? 'somebody' : this.trace.threads[index].title;
    const stacks = leaks.map((leak) =>
        [`${plural(leak.bytes, 'byte')} in ${plural(leak.blocks, 'block')} lost, allocated by ${who(leak.allocated_by)}`, leak.allocated_at]);
    if (block && block.freed_at) stacks.push([`Freed by ${who(block.freed_by)}`, block.freed_at]);
    if (block) stacks.push([`Allocated by ${who(block.allocated_by)}`, block.allocated_at]);
    return stacks.filter(([, stack]) => stack.length);
  }

  firstWait() {
    const thread = this.trace.threads.find((t) => t.in_cycle) || this.trace.threads.find((t) => t.blocked);
    return thread ? thread.at : null;
  }

  facts(event, index) {
    const {trace} = this, thread = trace.threads[event.thread], place = trace.place(event);
    const facts = [['thread', `${thread.title} (${thread.path})`]];
    if (event.executed !== false) facts.push(['step', `${withThousands(event.step)} of ${withThousands(trace.data.steps)}`]);
    if (place) facts.push(['where', `${trace.placeText(place)}${place.function ? ' in ' + place.function : ''}`]);
    if (event.preempted) facts.push(['before', 'the thread was preempted here, and others ran']);
    const verb = isAccess(event) ? 'reads from' : 'follows';
    if (event.stale) facts.push(['stale', 'it did not read the newest store']);
    if (event.reads_from !== undefined) facts.push([verb, this.link(event.reads_from)]);
    else if (trace.kind(event) === 'read') facts.push([verb, trace.data.left_out.for_length ? 'the initial value, or an event left out' : 'the initial value']);
    const readers = (trace.readers.get(index) || []).slice(0, 8);
    if (readers.length) facts.push([isAccess(event) ? 'read by' : 'then', ...readers.map((reader) => this.link(reader))]);
    const holds = trace.holdsAt(event.thread, index);
    if (holds.length) facts.push(['holds', holds.map((hold) => trace.objectName(hold.object)).join(', ')]);
    return facts;
  }

  link(index) {
    const event = this.trace.events[index], thread = this.trace.threads[event.thread];
    return element('button', {class: 'plain', type: 'button', onclick: () => { this.lanes.selectEvent(index); this.lanes.scroller.focus(); }},
        `${thread.label} ${this.trace.operation(event)}, ${this.trace.placeText(this.trace.place(event))}`);
  }

  show(title, facts, place, stack, more = []) {
    byId('selected-title').textContent = title;
    byId('selected-facts').replaceChildren(...facts.flatMap(([name, ...values]) => [element('dt', {}, name), element('dd', {}, ...values)]));
    this.source.show(place);
    byId('stack').replaceChildren(...[['Stack', stack], ...more].filter(([, frames]) => frames.length)
        .flatMap(([heading, frames]) => [element('h4', {}, heading), this.stackList(frames)]));
    const where = facts.find(([name]) => name === 'where');
    byId('live').textContent = where ? `${title}, ${where[1]}` : title;
  }

  // Frames of libraries in a row are folded.
  stackList(frames) {
    const list = element('ol', {start: 0});
    const items = frames.map((frame) => this.stackItem(frame));
    for (let i = 0; i < frames.length;) {
      let end = i;
      while (end < frames.length && frames[end].library) ++end;
      if (end - i < 2) {
        list.append(items[i++]);
        continue;
      }
      list.append(element('li', {class: 'library'}, element('details', {},
          element('summary', {}, `${plural(end - i, 'frame')} of libraries`), element('ol', {start: i}, ...items.slice(i, end)))));
      i = end;
      if (i < frames.length) items[i].value = i;  // the fold is one item
    }
    return list;
  }

  stackItem(frame) {
    return element('li', {class: frame.library ? 'library' : ''},
        element('button', {class: 'plain', type: 'button', title: frame.function, onclick: () => this.source.show(frame)},
            element('span', {}, frame.function || frame.where), element('span', {}, frame.line ? this.trace.placeText(frame) : '')));
  }
}

const MOST_CHIPS = 8;  // more are folded away

const isAccess = (event) => /^(read|write|atomic_)/.test(event.op) && !/lock/.test(event.op);

const report = new Report(JSON.parse(byId('data').textContent));
report.start();
