// SPDX-License-Identifier: Apache-2.0
// The executions of an exhaustive search as a tree: each below the one of which it is a reversal.

class ExecutionTree {
  constructor(data) {
    this.nodes = data.executions;
    this.note = data.note;
    this.byNumber = new Map(this.nodes.map((node) => [node.number, {...node, children: []}]));
    this.roots = [];
    for (const node of this.byNumber.values()) {
      const parent = node.parent === null ? null : this.byNumber.get(node.parent);
      if (parent) parent.children.push(node);
      else this.roots.push(node);
    }
    // Parents come first.
    for (const {number} of [...this.nodes].reverse()) {
      const node = this.byNumber.get(number);
      node.below = node.children.reduce((sum, child) => sum + child.below + (child.fails ? 1 : 0), 0);
    }
  }

  get failing() { return this.nodes.filter((node) => node.fails).length; }

  show(place) {
    this.onlyFailing = this.failing > 0 && this.nodes.length > 60;
    this.list = element('div', {class: 'executions', role: 'tree', 'aria-label': 'executions'});
    const blocked = this.nodes.filter((node) => node.blocked).length;
    const facts = [plural(this.nodes.length - blocked, 'execution'), `${withThousands(this.failing)} fail${this.failing === 1 ? 's' : ''}`];
    if (blocked) facts.push(`${withThousands(blocked)} blocked`);
    const toggle = element('button', {type: 'button', id: 'only-failing', onclick: () => this.toggle(toggle)});
    toggle.hidden = this.failing === 0;
    this.label(toggle);
    place.replaceChildren(
        element('p', {class: 'dim'}, `${facts.join(', ')}. Each is indented below the one it was made from, by reversing a race: what is named first now comes before the other. `, toggle));
    if (this.note) place.append(element('p', {class: 'dim', id: 'left-out'}, `${this.note}.`));
    place.append(this.list);
    this.fillRows();
  }

  label(toggle) { toggle.textContent = this.onlyFailing ? 'show all' : 'show only what leads to a failure'; }

  toggle(button) {
    this.onlyFailing = !this.onlyFailing;
    this.label(button);
    this.fillRows();
  }

  // Without recursion: a chain of reversals may be long.
  fillRows() {
    const rows = [];
    const open = this.roots.map((node) => [node, 0]).reverse();
    while (open.length > 0) {
      const [node, depth] = open.pop();
      if (this.onlyFailing && !node.fails && node.below === 0) continue;
      rows.push(this.row(node, depth));
      for (let i = node.children.length; i-- > 0;) open.push([node.children[i], depth + 1]);
    }
    this.list.replaceChildren(...rows);
  }

  row(node, depth) {
    const state = node.fails ? 'fails' : node.blocked ? 'blocked' : 'passes';
    const end = node.fails ? element('span', {class: 'badge'}, node.end) : node.blocked ? element('span', {class: 'dim'}, 'blocked') : null;
    return element('div', {class: `execution ${state}`, role: 'treeitem', 'aria-level': depth + 1, '--depth': depth},
        element('i', {class: 'dot', title: state}), element('b', {}, String(node.number)), end, ...this.race(node));
  }

  race({first, before, parent}) {
    if (parent === null || !before) return [element('span', {class: 'dim'}, 'the first')];
    if (!first) return [element('span', {}, 'another choice of '), this.step(before)];
    return [this.step(first), element('span', {class: 'dim'}, ' before '), this.step(before)];
  }

  step({thread, operation, place}) {
    return element('span', {}, element('b', {class: 'thread'}, thread), ` ${operation} `, element('code', {}, baseName(place)));
  }
}
