enum Kind { Small = 1, Big }

interface Sized { size: number }

type Pair<T> = [T, T]

let lines: string[] = []

function say(...parts: unknown[]): void { lines.push(parts.join(' ')) }

class Box<T extends Sized> implements Sized {
  readonly size: number

  constructor(private content: T, protected kind: Kind = Kind.Small, limit: number = 9, readonly low = 2) {
    const size = Math.min(content.size, limit)
    this.size = size + this.low
  }

  describe(prefix?: string): string {
    const kind = Kind[this.kind]
    const text: string = `${prefix ?? 'box'} ${kind} ${this.content.size}`
    if (prefix === undefined) {
      return text
    } else {
      return text.toUpperCase()
    }
  }
}

function isPair(value: unknown): value is Pair<number> {
  const ok = Array.isArray(value) && value.length === 2
  return ok
}

function sum(value: number | Pair<number> | { a: number, b?: number }): number {
  let total: number = 0;
  const zero = 0;
  if (typeof value === 'number') {
    total = value
  } else {
    if (isPair(value)) {
      const [first, second] = value
      total = first + second
    } else {
      const { a, b = zero } = value
      total = a + b
    }
  }
  return total
}

async function later(n: number): Promise<'low' | 'high'> {
  const got = await Promise.resolve(n)
  if (got > 3) {
    return 'high'
  }
  return 'low'
}

function collect(n: number) {
  const all = []
  for (let i = 0; i < n; i++) {
    all.push({ i, twice: i * 2 })
  }
  const shown = all as { i: number }[]
  return shown.map(({ i }) => <number>i!).join()
}

const inline = (n: number): { n: number, kind: Kind } => {
  const kind = n > 1 ? Kind.Big : Kind.Small
  return { n, kind }
}

later(5).then((high) => {
  const box = new Box({ size: 12 }, Kind.Big)
  say(high, box.describe(), box.describe('x'), box.size)
  say(sum(3), sum([1, 2]), sum({ a: 4 }), collect(3), JSON.stringify(inline(2)))
  console.log(lines.join('\n'))
})
