// SPDX-License-Identifier: Apache-2.0
'use strict';
// Small helpers around the document. Text always goes in as text: nothing that comes out of the
// program under test is ever parsed as HTML.

const byId = (id) => document.getElementById(id);

// element('button', {class: 'plain', onclick: go}, 'text', child)
function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svgElement(tag, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name.startsWith('--')) node.style.setProperty(name, value);
    else if (value !== false && value != null) node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

const withThousands = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');
const plural = (number, noun) => `${withThousands(number)} ${noun}${number === 1 ? '' : 's'}`;
const baseName = (path) => path.slice(path.lastIndexOf('/') + 1);
