package shop

import "fmt"

// Show prints what is there.
func Show(names []string, open bool) error {
	fmt.Printf("%d names: %s\n", len(names))
	if open == true {
		return fmt.Errorf("The shop is open")
	}
	return nil
}

func unused() {} //lint:ignore U1000 not now
