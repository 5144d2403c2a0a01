package program

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

const size = 3

var total = 10

type point struct{ x, y int }

type shape interface{ area() int }

func (p point) area() int { return p.x * p.y }

func branches(n int) (label string) {
	if n > 2 && n != 7 {
		label = "big"
	} else {
		label = "small"
	}
	if m := n * 2; m == 0 {
		return "zero"
	} else if m < 0 {
		return "negative"
	} else {
		label += fmt.Sprint(m)
	}
	if (point{1, 2}) == (point{n, 2}) {
		label += "same"
	} else {
		label += "other"
	}
	return label
}

func swapped(first int) int {
	before := count()
	after := 0
	width := first
	height := 3
	area := width * height
	var zero, one int
	one = 1
	height = 4
	return before + after + area*height + zero + one
}

func count() int {
	total++
	return total
}

func arrays(size int, fixed [size]int) int {
	sum := 0
	for i, v := range fixed {
		sum += i * v * size
	}
	return sum
}

func scopes(x any) string {
	out := []string{}
	n := 1
	{
		n := n + 1
		out = append(out, fmt.Sprint(n))
	}
	if n := n + 2; n > 2 {
		out = append(out, fmt.Sprint("if", n))
	} else {
		out = append(out, fmt.Sprint("else", n))
	}
	for n := 0; n < 2; n++ {
		out = append(out, fmt.Sprint(n))
	}
	switch n := n * 5; {
	case n > 3:
		total := n
		out = append(out, fmt.Sprint(total))
	}
	switch x := x.(type) {
	case int:
		out = append(out, fmt.Sprint(x+1))
	case string:
		out = append(out, x+"!")
	}
	ch := make(chan int, 1)
	ch <- n
	select {
	case got, ok := <-ch:
		out = append(out, fmt.Sprint(got, ok))
	default:
	}
	total := total
	y := 4
	p := point{y: y, x: n}
	m := map[string]int{"y": y}
	type pair struct{ total, y int }
	q := pair{total, y}
	return fmt.Sprint(strings.Join(out, ","), p, m, q.y)
}

func closures() string {
	var all []func() int
	for i := range 3 {
		j := i * i
		all = append(all, func() int {
			j++
			k := i + j
			return k
		})
	}
	sum := 0
	for _, f := range all {
		sum += f()
	}
	words := []string{"b", "a"}
	sort.Slice(words, func(i, j int) bool { return words[i] < words[j] })
	return fmt.Sprint(sum, words)
}

func caught(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("caught %v", r)
		}
	}()
	again := 0
loop:
	if again < 2 {
		again++
		goto loop
	}
	if err = f(); err != nil {
		return fmt.Errorf("again %d: %w", again, err)
	}
	return nil
}

func jumps(n int) string {
	if n == 0 {
		goto done
	}
	if n == 1 {
		return "one"
	}
done:
	return "done"
}

func text(s shape) error {
	var none *point
	if s == none {
		return nil
	}
	text := errors.New("text")
	return text
}

func generic[T int | string](all ...T) T {
	var most T
	for _, one := range all {
		if one > most {
			most = one
		}
	}
	return most
}

// Main prints what the functions say.
func Main() {
	total = 10
	for n := -1; n < 9; n++ {
		fmt.Println(branches(n), jumps(n))
	}
	fmt.Println(swapped(4), arrays(2, [size]int{1, 2, 3}), scopes(3), scopes("s"), closures())
	fmt.Println(caught(func() error { panic("p") }), caught(func() error { return errors.New("e") }), text(point{1, 2}))
	fmt.Println(generic(1, 5, 2), generic("b", "a"))
}
