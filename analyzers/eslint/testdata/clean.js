import React from 'react';
import Price from './price.js';

// eslint-disable-next-line no-undef
export const total = (items) => items.reduce((sum, item) => sum + item.price, 0);

export function Label({ items }) {
  return <Price className="total">{total(items)}</Price>;
}
