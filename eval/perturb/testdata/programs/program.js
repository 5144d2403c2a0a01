'use strict'

let log = ''

function say (...parts) { log += parts.join(' ') + '\n' }

function branches (n) {
  'use strict'
  let label
  if (n > 2 && n !== 7) {
    label = 'big'
  } else {
    label = 'small'
  }
  if ((say('first'), n)) {
    say('set')
  } else {
    say('unset')
  }
  if (n === 0) {
    return 'zero'
  } else if (n < 0) {
    return 'negative'
  } else {
    label += n
  }
  const where = this === undefined ? 'strict' : 'sloppy'
  return label + where
}

function swapped (first) {
  const before = { valueOf () { say('asked'); return 2 } }
  const after = before + 1;
  const count = 0;
  let width = first;
  let height = 3;
  const area = width * height;
  height = 4;
  return [after, count, area, height].join()
}

function * generator (limit) {
  let count = 0
  try {
    while (count < limit) {
      const sent = yield count
      count += sent || 1
    }
  } finally {
    say('closed', count)
  }
  return count
}

function closures (base, { offset = base + 1, deep: [head, ...tail] = [1, 2] } = {}) {
  var x = 'outer'
  const items = [1, 2].map(x => x + offset)
  const inner = (extra = x) => {
    var x = 'inner'
    return extra + x
  }
  const named = function () {}
  const wrapped = (class {})
  for (const x of items) {
    say(x)
  }
  const object = { base, offset, x, head, tail: tail, inner }
  const { inner: { length }, base: again = 3 } = object;
  [x, head] = [head, x]
  return JSON.stringify([object, inner(), named.name, wrapped.name, length, again, x, head])
}

const x = 'module'

function defaults (a = x, b = () => x) {
  var x = 'body'
  return [a, b(), x].join()
}

function hoisted () {
  if (true) {
    var late = 1
  }
  function early () { return typeof late }
  function twice () { return 1 }
  var twice
  label: for (let i = 0; i < 3; i++) {
    for (;;) {
      if (i === 1) {
        break label
      } else {
        continue label
      }
    }
  }
  switch (late) {
    case 0: { const late = 5; return late }
    case 1:
      const kept = early()
      return kept + twice()
  }
  return late
}

class Base {
  constructor (size) {
    this.size = size
  }
}

class Derived extends Base {
  #hidden = 4
  constructor (size) {
    super(size)
    const twice = size * 2
    this.twice = twice
  }

  get sum () {
    const sum = this.size + this.twice
    return sum + this.#hidden
  }

  static of (size) {
    return new this(size)
  }
}

function results (n) {
  if (n === 0) {
    return function () {}
  }
  if (n === 1) {
    return say('left'), 'right'
  }
  if (n === 2) {
    return () => {}
  }
  return {
    n
  }
}

async function later (n) {
  const got = await Promise.resolve(n)
  try {
    if (got > 1) {
      throw new Error('too much')
    } else {
      return got
    }
  } catch (error) {
    const { message } = error
    return message
  }
}

async function main () {
  for (let n = -1; n < 9; n++) say(branches(n))
  say(swapped(4))
  const steps = generator(9)
  say(steps.next().value, steps.next(3).value, steps.return(5).value)
  say(closures(7), closures(1, { offset: 2, deep: [5] }), defaults(), hoisted())
  say(Derived.of(2).sum, results(0).name === '', results(1), results(2).name === '', JSON.stringify(results(3)))
  say(await later(1), await later(2))
  console.log(log)
}

main()
