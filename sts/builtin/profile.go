package builtin

import _ "embed"

//go:embed profile.json
var profile []byte

// Profile returns the default τ of the built-in model as JSON, with what it was
// measured with and by which rule (see score.Profile).
func Profile() []byte { return profile }
