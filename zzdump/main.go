package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/syntax"
)

func main() {
	b, _ := io.ReadAll(os.Stdin)
	l, _ := lang.Lookup(os.Args[1])
	t, err := syntax.Parse(context.Background(), change.Addition("x", string(b), l))
	if err != nil {
		panic(err)
	}
	f := t.Files[0].New[0]
	var walk func(n *syntax.Node, d int)
	walk = func(n *syntax.Node, d int) {
		txt := ""
		if n.ChildCount() == 0 {
			txt = fmt.Sprintf("%q", n.Content())
		}
		field := ""
		if p := n.Parent(); p != nil {
			for _, name := range strings.Split(os.Args[2], ",") {
				if p.ChildByFieldName(name) == n {
					field = name + ":"
				}
			}
		}
		if n.IsNamed() {
			fmt.Printf("%s%s%s %s\n", strings.Repeat("  ", d), field, n.Type(), txt)
		} else if len(os.Args) > 3 {
			fmt.Printf("%s%s%s\n", strings.Repeat("  ", d), field, txt)
		}
		for i := 0; i < int(n.ChildCount()); i++ {
			walk(n.Child(i), d+1)
		}
	}
	walk(f.Root(), 0)
}
