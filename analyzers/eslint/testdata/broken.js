const prices = [1, 2
const total = prices.length;
