package shop

import "fmt"

// Show prints a price.
func Show(price int) { fmt.Printf("%d\n", price) }
