// SPDX-License-Identifier: Apache-2.0
// Who waits for whom at the end: a drawing of the threads and what they hold and want, and a table.
// A cycle is drawn as a ring; without one, threads stand on the left and objects on the right.

const NODE = {width: 128, height: 34};

class WaitsView {
  constructor(trace) {
    this.trace = trace;
    const blocked = trace.threads.filter((thread) => thread.blocked || (thread.holds || []).length);
    this.shown = trace.threads.some((thread) => thread.blocked) &&
        ['deadlock', 'livelock', 'steps', 'timeout'].includes(trace.data.kind) && blocked.length > 0;
  }

  render() {
    byId('waits').hidden = !this.shown;
    if (!this.shown) return;
    const graph = this.cycle() || this.sides();
    byId('waits-drawing').replaceChildren(graph ? this.draw(graph) : '');
    byId('waits-table').replaceChildren(this.table());
  }

  threadNode(index) { return {id: `t${index}`, text: this.trace.threads[index].title, thread: index}; }
  objectNode(index) { return {id: `o${index}`, text: this.trace.objectName(index)}; }

  // Nodes in a ring, following who waits for whom; null when the cycle is no simple one.
  cycle() {
    const threads = this.trace.threads;
    const first = threads.findIndex((thread) => thread.in_cycle);
    if (first < 0) return null;
    const nodes = [], edges = [];
    let at = first;
    do {
      const thread = threads[at];
      if (!thread || !thread.in_cycle || nodes.length > 16) return null;
      const node = this.threadNode(at);
      nodes.push(node);
      const next = thread.waits_for;
      if (next == null) return null;
      if (thread.wants != null) {
        const object = this.objectNode(thread.wants);
        object.id += `-${at}`;
        nodes.push(object);
        edges.push({from: node.id, to: object.id, text: 'waits for', wants: true},
                   {from: object.id, to: `t${next}`, text: 'held by'});
      } else {
        edges.push({from: node.id, to: `t${next}`, text: 'joins', wants: true});
      }
      at = next;
    } while (at !== first);
    const radius = {x: 160, y: Math.max(78, nodes.length * 22)};
    const size = {width: 2 * radius.x + NODE.width + 12, height: 2 * radius.y + NODE.height + 16};
    nodes.forEach((node, index) => {
      const angle = (index / nodes.length) * 2 * Math.PI - Math.PI / 2;
      node.x = size.width / 2 + (nodes.length === 1 ? 0 : radius.x * Math.cos(angle));
      node.y = size.height / 2 + radius.y * Math.sin(angle);
    });
    return {nodes, edges, size};
  }

  sides() {
    const nodes = new Map(), edges = [];
    const add = (node, x) => {
      if (!nodes.has(node.id)) nodes.set(node.id, {...node, x, y: 0});
      return node.id;
    };
    const left = NODE.width / 2 + 46, right = 460 - NODE.width / 2 - 6;
    const blocked = this.trace.threads.map((_, i) => i).filter((i) => this.trace.threads[i].blocked).slice(0, 10);
    for (const index of blocked) {
      const thread = this.trace.threads[index];
      const id = add(this.threadNode(index), left);
      if (thread.wants != null) edges.push({from: id, to: add(this.objectNode(thread.wants), right), text: 'waits for', wants: true});
      else if (thread.waits_for != null) edges.push({from: id, to: add(this.threadNode(thread.waits_for), left), text: 'joins', wants: true, outside: true});
      for (const lock of (thread.holds || []).slice(0, 4)) edges.push({from: add(this.objectNode(lock.object), right), to: id, text: 'held by'});
    }
    if (edges.length === 0) return null;
    for (const x of [left, right]) {
      [...nodes.values()].filter((node) => node.x === x).forEach((node, row) => { node.y = 26 + row * 58; });
    }
    const height = Math.max(...[...nodes.values()].map((node) => node.y)) + 30;
    return {nodes: [...nodes.values()], edges, size: {width: 460, height}};
  }

  draw({nodes, edges, size}) {
    const at = new Map(nodes.map((node) => [node.id, node]));
    const label = edges.map((edge) => `${at.get(edge.from).text} ${edge.text} ${at.get(edge.to).text}`).join('; ');
    const svg = svgElement('svg', {viewBox: `0 0 ${size.width} ${size.height}`, role: 'img', 'aria-label': label});
    for (const wants of [true, false]) {
      svg.append(svgElement('marker', {id: wants ? 'wants' : 'holds', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: 'auto'},
          svgElement('path', {d: 'M0 0 L8 4 L0 8 z', fill: themeColour(wants ? '--bad' : '--dim')})));
    }
    for (const edge of edges) svg.append(...this.drawEdge(at.get(edge.from), at.get(edge.to), edge));
    for (const node of nodes) svg.append(this.drawNode(node));
    return svg;
  }

  drawEdge(from, to, edge) {
    const side = (node) => ({x: node.x - NODE.width / 2, y: node.y});
    const a = edge.outside ? side(from) : borderPoint(from, to), b = edge.outside ? side(to) : borderPoint(to, from);
    // Between two threads at the left it bends outwards, so that it does not run through others.
    const bend = edge.outside ? -70 : 0;
    const middle = {x: (a.x + b.x) / 2 + bend, y: (a.y + b.y) / 2};
    const path = svgElement('path', {
      d: `M${a.x} ${a.y} Q${middle.x} ${middle.y} ${b.x} ${b.y}`, fill: 'none',
      stroke: themeColour(edge.wants ? '--bad' : '--dim'), 'stroke-width': 1.7,
      'stroke-dasharray': edge.wants ? '5 4' : false, 'marker-end': `url(#${edge.wants ? 'wants' : 'holds'})`,
    });
    const text = svgElement('text', {class: 'edge-label', x: middle.x - bend / 2, y: middle.y - 5, 'text-anchor': 'middle'}, edge.text);
    return [path, text];
  }

  drawNode(node) {
    const isThread = node.thread !== undefined;
    const title = node.text.length > 17 ? node.text.slice(0, 8) + '\u2026' + node.text.slice(-8) : node.text;
    return svgElement('g', {},
        svgElement('title', {}, node.text),
        svgElement('rect', {
          x: node.x - NODE.width / 2, y: node.y - NODE.height / 2, width: NODE.width, height: NODE.height,
          rx: isThread ? 17 : 4, fill: themeColour('--card'), stroke: isThread ? hue(node.thread) : themeColour('--dim'),
          'stroke-width': isThread ? 2.2 : 1.4,
        }),
        svgElement('text', {x: node.x, y: node.y + 4.5, 'text-anchor': 'middle', 'font-weight': isThread ? 650 : 400}, title));
  }

  table() {
    const rows = [];
    for (const thread of this.trace.threads) {
      if (!thread.live && !(thread.holds || []).length) continue;
      const state = thread.live ? thread.doing : 'has ended';
      rows.push(element('tr', {}, element('td', {class: thread.in_cycle ? 'cycle' : ''}, thread.title),
          element('td', {}, state), element('td', {class: 'mono'}, thread.live ? this.trace.placeText(thread.at) : '')));
      for (const lock of thread.holds || []) {
        rows.push(element('tr', {}, element('td'), element('td', {class: 'dim'}, `holds ${lock.kind} ${this.trace.objectName(lock.object)}`),
            element('td', {class: 'mono dim'}, this.trace.placeText(lock.at))));
      }
      if (rows.length > 200) break;
    }
    return element('table', {}, element('thead', {}, element('tr', {}, ...['thread', 'state', 'where'].map((name) => element('th', {scope: 'col'}, name)))),
        element('tbody', {}, ...rows));
  }
}

// Where the line from the middle of a node to another leaves its box.
function borderPoint(node, towards) {
  const dx = towards.x - node.x, dy = towards.y - node.y;
  const scale = Math.min(Math.abs((NODE.width / 2 + 3) / (dx || 1e-9)), Math.abs((NODE.height / 2 + 3) / (dy || 1e-9)));
  return {x: node.x + dx * scale, y: node.y + dy * scale};
}
