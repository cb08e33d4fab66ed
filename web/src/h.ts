// Small helpers over the DOM. Text goes in as text, never as markup; what has not changed is not touched, so nothing flickers and
// a selection or a screen reader is not disturbed each second.
// SPDX-License-Identifier: Apache-2.0

type Child = Node | string;
type Attributes = Record<string, string | number | boolean | undefined>;

const SVG = 'http://www.w3.org/2000/svg';

export function set(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value === true ? '' : String(value));
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  set(element, attributes);
  element.append(...children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Attributes = {}): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  set(element, attributes);
  return element;
}

export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function show(element: HTMLElement, shown: boolean): void {
  if (element.hidden === shown) element.hidden = !shown;
}

/** Replaces the children, unless they are the same nodes in the same order. */
export function fill(parent: Element, children: Node[]): void {
  const same = parent.childNodes.length === children.length && children.every((child, i) => parent.childNodes[i] === child);
  if (!same) parent.replaceChildren(...children);
}

/** Rebuilds only when what it is made of has changed. */
export function fill_when(parent: HTMLElement, made_of: unknown, make: () => Node[]): void {
  const stamp = JSON.stringify(made_of);
  if (stamps.get(parent) === stamp) return;
  stamps.set(parent, stamp);
  parent.replaceChildren(...make());
}

const stamps = new WeakMap<HTMLElement, string>();

/** A bar of a share; a share that is not known is an empty track. */
export class Bar {
  readonly element: HTMLElement;
  private readonly inner: HTMLElement;

  constructor() {
    this.inner = h('i');
    this.element = h('span', { class: 'bar', 'aria-hidden': 'true' }, this.inner);
  }

  update(share: number | undefined, level: string): void {
    const width = share === undefined ? '0' : `${Math.round(share * 1000) / 10}%`;
    if (this.inner.style.width !== width) this.inner.style.width = width;
    set(this.inner, { 'data-level': level });
  }
}
