package shop

// Total adds up what nobody has declared.
func Total() int { return prices + 1 }
