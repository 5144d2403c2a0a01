package shop

import (
	"fmt"
	"sync"
)

// Stock is shared.
type Stock struct {
	mu    sync.Mutex
	names []string
}

// Show prints what is there.
func Show(s *Stock) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Printf("%d names: %s\n", len(s.names))
	other := *s
	fmt.Println(other.names)
}
