type Props = { [name: string]: unknown, children?: unknown }

const lines: string[] = []

function h(tag: string | ((props: Props) => string), props: Props | null, ...children: unknown[]): string {
  const inside = children.flat().join('')
  const all = { ...props, children: inside }
  if (typeof tag === 'function') {
    return tag(all)
  } else {
    return `<${tag}${Object.entries(props ?? {}).map(([name, value]) => ` ${name}=${value}`).join('')}>${inside}</${tag}>`
  }
}

function Fragment(props: Props): string { return String(props.children) }

function Row({ label, children }: { label?: string, children?: unknown }) {
  const label2 = label ?? 'none'
  const row = <li label={label2}>label {children}</li>
  return row
}

const ui = { Box: Row }

function List({ items, pick }: { items: string[], pick: (item: string) => string }) {
  let first = 1;
  let last = 'label';
  const Own = ui.Box
  const own = { Box: Own }
  const rows = items.map((item) => {
    const picked = pick(item)
    return <Own label={picked} key={item}>{first} item {last}</Own>
  })
  if (items.length > 1) {
    return (
      <>
        {/* rows stay */}
        {rows} rows <own.Box label={last} />
      </>
    )
  } else {
    return <p rows={items.length}>no rows</p>
  }
}

lines.push(<List items={['a', 'b']} pick={(item) => item.toUpperCase()} />)
lines.push(<List items={[]} pick={(item) => item} />)
console.log(lines.join('\n'))
